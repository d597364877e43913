"""Rules about the message of a choice: its role, its texts and its other fields."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from inspector.core.completion import Choice, known
from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly, AnomalyNote
from inspector.core.json import parser
from inspector.core.rule_context import RuleContext, Trait
from inspector.core.rules.rule import CHAT_FAMILY, Remark, in_choice, read_choices, rule, times


@rule("message.malformed", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.BAD_DELTA)
def message_malformed(context: RuleContext) -> Iterator[Remark]:
    """The message or delta of a choice is not an object.
    Clients that read a field of it fail.
    """
    for note, count in context.notes.by_subject(Anomaly.BAD_DELTA):
        yield f"A {note.subject} is not an object{times(count)}.", note.where


@rule("message.missing", Severity.WARNING, formats=CHAT_FAMILY, at_end=True)
def message_missing(context: RuleContext) -> Iterator[Remark]:
    """A choice of a chat answer has no message.
    Clients that read choices[0].message fail.
    """
    if context.object != "chat.completion" or context.signs.message or not context.choices:
        return
    if not context.notes.count(Anomaly.BAD_DELTA):
        yield "No choice has a message or delta.", Where(pointer="/choices/0")


@rule("message.field-malformed", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.BAD_CONTENT)
def field_malformed(context: RuleContext) -> Iterator[Remark]:
    """Content, text, reasoning, refusal or tool calls have a type that no reference allows.
    Clients that join or show them fail.
    """
    for note, count in _malformed(context):
        if note.subject != "annotations":
            yield f"{note.subject} has the wrong type{times(count)}.", note.where


@rule("message.role-unexpected", Severity.WARNING, formats=CHAT_FAMILY)
def role_unexpected(context: RuleContext) -> Iterator[Remark]:
    """The role is not "assistant".
    Clients that append the message to the conversation send a wrong role.
    """
    for choice in read_choices(context):
        if known(choice.role) and choice.role not in ("assistant", ""):
            where = in_choice(context, choice, "message/role")
            yield f"Choice {choice.index} has the role {shorten(choice.role)!r}.", where


@rule("message.role-changed", Severity.WARNING, when=Anomaly.ROLE_CHANGED)
def role_changed(context: RuleContext) -> Iterator[Remark]:
    """The role of a choice changed between chunks; the first one is used.
    Clients that keep the last one disagree.
    """
    for note, count in context.notes.by_subject(Anomaly.ROLE_CHANGED):
        yield f"The role of choice {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("message.role-missing", Severity.WARNING, formats=CHAT_FAMILY)
def role_missing(context: RuleContext) -> Iterator[Remark]:
    """The message of a complete answer has no role.
    Clients that append the message to the conversation send one without a role.
    """
    for choice in _whole(context):
        if not known(choice.role):
            where = in_choice(context, choice, "message/role")
            yield f"The message of choice {choice.index} has no role.", where


@rule("message.content-missing", Severity.INFO, formats=CHAT_FAMILY)
def content_missing(context: RuleContext) -> Iterator[Remark]:
    """The message of a complete answer has no content field, not even null.
    Clients that read message["content"] fail.
    """
    is_malformed = any(note.subject == "content" for note, _ in _malformed(context))
    for choice in _whole(context) if not is_malformed else ():
        if choice.content is UNSET:
            where = in_choice(context, choice, "message/content")
            yield f"The message of choice {choice.index} has no content.", where


@rule("message.content-null", Severity.INFO, formats=CHAT_FAMILY)
def content_null(context: RuleContext) -> Iterator[Remark]:
    """The content is null, which WorkflowAI's reference does not allow.
    Clients that join or measure it as text fail.
    """
    for choice in _whole(context):
        if choice.content is None and choice.says_something:
            where = in_choice(context, choice, "message/content")
            yield f"The content of choice {choice.index} is null.", where


@rule("message.content-parts", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.CONTENT_PARTS)
def content_parts(context: RuleContext) -> Iterator[Remark]:
    """Content was sent as a list of parts instead of a text.
    Clients that join it as text fail or lose it.
    """
    for note, count in context.notes.by_subject(Anomaly.CONTENT_PARTS):
        yield f"The content of choice {note.subject} is a list of parts{times(count)}.", note.where


@rule(
    "message.not-the-json-asked",
    Severity.WARNING,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.REQUEST_KNOWN,
)
def not_the_json_asked(context: RuleContext) -> Iterator[Remark]:
    """JSON was requested, and the content of a choice that ended with "stop" is not JSON.
    Clients that parse it fail.
    """
    if context.request_params is None or not context.request_params.wants_json:
        return
    for choice in read_choices(context):
        content = choice.content
        if choice.finish_reason != "stop" or not isinstance(content, str) or not content:
            continue
        fault = parser.parse_json(content.encode("utf-8", "surrogatepass")).fatal
        if fault is not None and not choice.refusal and not choice.tool_calls:
            where = in_choice(context, choice, "message/content")
            yield f"The content of choice {choice.index} is not the JSON that was requested.", where


@rule("message.refusal-beside-content", Severity.INFO)
def refusal_beside_content(context: RuleContext) -> Iterator[Remark]:
    """A choice has both a refusal and content.
    Clients that show only one of them hide the other.
    """
    for choice in read_choices(context):
        if known(choice.refusal) and choice.refusal and known(choice.content) and choice.content:
            where = in_choice(context, choice, "message/refusal")
            yield f"Choice {choice.index} has both a refusal and content.", where


@rule(
    "message.annotations-malformed", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.BAD_CONTENT
)
def annotations_malformed(context: RuleContext) -> Iterator[Remark]:
    """``annotations`` is not a list (WorkflowAI's reference: always an array).
    Clients that loop over them fail.
    """
    for note, count in _malformed(context):
        if note.subject == "annotations":
            yield f"annotations is not a list{times(count)}.", note.where


@rule("message.annotations-null", Severity.INFO, formats=CHAT_FAMILY)
def annotations_null(context: RuleContext) -> Iterator[Remark]:
    """``annotations`` is null (WorkflowAI's reference: always an array, possibly empty).
    Clients that loop over them without a check fail.
    """
    for choice in read_choices(context):
        if choice.annotations is None:
            where = in_choice(context, choice, "message/annotations")
            yield f"The annotations of choice {choice.index} are null.", where


@rule("message.legacy-function-call", Severity.INFO, formats=CHAT_FAMILY)
def legacy_function_call(context: RuleContext) -> Iterator[Remark]:
    """A function is called through the deprecated ``function_call``.
    Agents that read only tool_calls miss it.
    """
    for choice in read_choices(context):
        if choice.function_call is not None and not choice.function_call.is_empty:
            where = in_choice(context, choice, "message/function_call")
            yield f"Choice {choice.index} calls a function through function_call.", where


@rule("message.reasoning-twice", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.REASONING_TWICE)
def reasoning_twice(context: RuleContext) -> Iterator[Remark]:
    """Reasoning was sent both as reasoning_content and as reasoning.
    Clients that read both fields show it twice.
    """
    for note, count in context.notes.by_subject(Anomaly.REASONING_TWICE):
        yield (
            f"Choice {note.subject} has reasoning in two fields{times(count)}.",
            note.where,
        )


@rule("message.think-passage", Severity.INFO, formats=CHAT_FAMILY)
def think_passage(context: RuleContext) -> Iterator[Remark]:
    """Content begins with a <think> block: reasoning inside the answer.
    Clients that show or parse the content include the reasoning.
    """
    for choice in read_choices(context):
        if choice.inline_reasoning is not None:
            where = in_choice(context, choice, "message/content")
            yield f"The content of choice {choice.index} begins with <think>.", where


@rule("message.think-unclosed", Severity.WARNING, formats=CHAT_FAMILY, at_end=True)
def think_unclosed(context: RuleContext) -> Iterator[Remark]:
    """A <think> block is not closed, although its choice ended with "stop".
    Clients that remove the block show nothing or all of it.
    """
    for choice in read_choices(context):
        passage = choice.inline_reasoning
        if passage is not None and passage.end is None and choice.finish_reason == "stop":
            where = in_choice(context, choice, "message/content")
            yield f"The <think> block of choice {choice.index} is not closed.", where


def _whole(context: RuleContext) -> tuple[Choice, ...]:
    """Choices of a whole chat answer with messages; none for a stream or a single chunk."""
    is_chunk = any(name.endswith(".chunk") for name in context.signs.objects)
    is_whole = context.object == "chat.completion" and not context.streamed and not is_chunk
    return read_choices(context) if is_whole and context.signs.message else ()


def _malformed(context: RuleContext) -> Iterator[tuple[AnomalyNote, int]]:
    return context.notes.by_subject(Anomaly.BAD_CONTENT)
