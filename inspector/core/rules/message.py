"""Rules about the message of a choice: its role, its texts and its other fields."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from inspector.core.completion import Choice, known, list_or_empty
from inspector.core.fields.finish_reasons import is_model_end
from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly, AnomalyNote
from inspector.core.fold.inline_reasoning import inline_reasoning, opening_tag
from inspector.core.formats.fragment import Fragment
from inspector.core.json import Json, parser
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import (
    CHAT_FAMILY,
    Remark,
    at_content,
    in_choice,
    read_choices,
    rule,
    times,
)
from inspector.core.rules.traits import Trait

ODD_ROLE = "/message/role"
"""Place of a role that is not a text, among the extras of its choice."""


@rule("message.malformed", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.BAD_DELTA)
def message_malformed(context: RuleContext) -> Iterator[Remark]:
    """The message or delta of a choice is not an object.
    Clients that read a field of it fail.
    """
    # Where a print leaves out what lies deeper, null stands, not what was sent.
    if context.notes.count(Anomaly.NOT_PRINTED):
        return
    for note, count in context.notes.by_subject(Anomaly.BAD_DELTA):
        yield f"A {note.subject} is not an object{times(count)}.", note.where


@rule("message.missing", Severity.WARNING, formats=CHAT_FAMILY, at_end=True, when=Trait.NO_MESSAGE)
def message_missing(context: RuleContext) -> Iterator[Remark]:
    """A choice of a chat answer has no message.
    Clients that read choices[0].message fail.
    """
    if context.object != "chat.completion" or context.signs.message or not context.choices:
        return
    if not context.notes.count(Anomaly.BAD_DELTA) and context.fragment is None:
        is_legacy = any(known(choice.text) for choice in context.choices)
        instead = "; they have text, as legacy completions do" if is_legacy else ""
        yield f"No choice has a message or delta{instead}.", Where(pointer="/choices/0")


@rule("message.field-malformed", Severity.WARNING, when=Anomaly.BAD_CONTENT)
def field_malformed(context: RuleContext) -> Iterator[Remark]:
    """A text, a part, the list of parts or tool calls have a type that no reference allows.
    Clients that join or show them fail.
    """
    for note, count in _malformed(context):
        if not note.subject.startswith("annotations "):
            yield f"{note.subject}, {note.detail}{times(count)}.", note.where


@rule(
    "message.role-unexpected",
    Severity.WARNING,
    formats=CHAT_FAMILY,
    when=(Trait.ROLE_UNUSUAL, Anomaly.ROLE_EMPTY),
)
def role_unexpected(context: RuleContext) -> Iterator[Remark]:
    """The role is not "assistant": another text, an empty one, or no text.
    Clients that append the message to the conversation send a wrong role.
    """
    for choice in read_choices(context):
        if choice.role == "assistant":
            continue
        where = in_choice(context, choice, "message/role")
        if ODD_ROLE in choice.extras:
            word = type_word(choice.extras[ODD_ROLE])
            yield f"The role of choice {choice.index} is {word}, not a text.", where
        elif choice.role == "":
            yield f"The role of choice {choice.index} is empty.", where
        elif known(choice.role):
            yield f"Choice {choice.index} has the role {shorten(choice.role)!r}.", where
    for note, _ in context.notes.by_subject(Anomaly.ROLE_EMPTY):
        if any(choice.role and note.subject == str(choice.index) for choice in context.choices):
            yield f"A delta of choice {note.subject} has an empty role; others name it.", note.where


@rule("message.role-changed", Severity.WARNING, when=Anomaly.ROLE_CHANGED)
def role_changed(context: RuleContext) -> Iterator[Remark]:
    """The role of a choice changed between chunks; the first one is used.
    Clients that keep the last one disagree.
    """
    for note, count in context.notes.by_subject(Anomaly.ROLE_CHANGED):
        yield f"The role of choice {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("message.role-missing", Severity.WARNING, formats=CHAT_FAMILY, when=Trait.WHOLE)
def role_missing(context: RuleContext) -> Iterator[Remark]:
    """The message of a complete answer has no role.
    Clients that append the message to the conversation send one without a role.
    """
    for choice in _whole(context):
        if not known(choice.role) and ODD_ROLE not in choice.extras:
            where = in_choice(context, choice, "message/role")
            yield f"The message of choice {choice.index} has no role.", where


@rule("message.content-missing", Severity.INFO, formats=CHAT_FAMILY, when=Trait.WHOLE)
def content_missing(context: RuleContext) -> Iterator[Remark]:
    """The message of a complete answer has no content field, not even null.
    Clients that read message["content"] fail.
    """
    is_malformed = any(note.subject == "content" for note, _ in _malformed(context))
    for choice in _whole(context) if not is_malformed else ():
        if choice.content is UNSET:
            where = at_content(context, choice)
            yield f"The message of choice {choice.index} has no content.", where


@rule("message.content-null", Severity.INFO, formats=CHAT_FAMILY, when=Trait.WHOLE)
def content_null(context: RuleContext) -> Iterator[Remark]:
    """The content is null although nothing is called (WorkflowAI's reference: always a text).
    Clients that join or measure it as text fail.
    """
    for choice in _whole(context):
        is_called = choice.tool_calls or choice.function_call
        if choice.content is None and choice.says_something and not is_called:
            where = at_content(context, choice)
            yield f"The content of choice {choice.index} is null.", where


@rule("message.content-parts", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.CONTENT_PARTS)
def content_parts(context: RuleContext) -> Iterator[Remark]:
    """Content was sent as a list of parts instead of a text.
    Clients that join it as text fail or lose it.
    """
    for note, count in context.notes.by_subject(Anomaly.CONTENT_PARTS):
        yield f"The content of choice {note.subject} is a list of parts{times(count)}.", note.where


@rule("message.said-again", Severity.WARNING, when=(Trait.SAID_AGAIN, Anomaly.TEXT_SAID_AGAIN))
def said_again(context: RuleContext) -> Iterator[Remark]:
    """Pieces of a text repeat the text so far, as a whole; it counts once.
    Clients that join the pieces, as the format says, show it again and again.
    """
    for text in context.said_again:
        word = text.lane.kind
        quotes = f"“{shorten(text.before)}”, then “{shorten(text.last)}”"
        yield f"Pieces of {word} repeat the text so far: {quotes}.", text.where
    for note, count in context.notes.by_subject(Anomaly.TEXT_SAID_AGAIN):
        yield f"The {note.subject} is said again: “{note.detail}”{times(count)}.", note.where


@rule("message.not-the-json-asked", Severity.WARNING, at_end=True, when=Trait.REQUEST_KNOWN)
def not_the_json_asked(context: RuleContext) -> Iterator[Remark]:
    """JSON was requested, and the content of a choice that ended by itself is not JSON.
    Clients that parse it fail.
    """
    if context.request_params is None or not context.request_params.wants_json:
        return
    for choice in read_choices(context):
        content = choice.content
        if not is_model_end(choice.finish_reason) or not isinstance(content, str) or not content:
            continue
        fault = parser.parse_json(content.encode("utf-8", "surrogatepass")).fatal
        if fault is not None and not choice.refusal and not choice.tool_calls:
            where = at_content(context, choice)
            yield f"The content of choice {choice.index} is not the JSON that was requested.", where


@rule("message.schema-broken", Severity.WARNING, when=Trait.REQUEST_KNOWN)
def schema_broken(context: RuleContext) -> Iterator[Remark]:
    """The content does not match the strict JSON schema that the request gives for it.
    Clients that read a field of it fail.
    """
    for choice in read_choices(context):
        if choice.schema_remarks:
            first, count = choice.schema_remarks[0], times(len(choice.schema_remarks))
            place = f" at {shorten(first.pointer)}" if first.pointer else ""
            content = f"The content of choice {choice.index}"
            yield (
                f"{content} does not match its schema{place}: {first.message}{count}.",
                at_content(context, choice),
            )


@rule("message.refusal-beside-content", Severity.INFO, when=Trait.REFUSAL)
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
        if note.subject.startswith("annotations "):
            yield f"{note.subject}, {note.detail}{times(count)}.", note.where


@rule("message.annotations-null", Severity.INFO, formats=CHAT_FAMILY, when=Trait.ANNOTATIONS)
def annotations_null(context: RuleContext) -> Iterator[Remark]:
    """``annotations`` is null (WorkflowAI's reference: always an array, possibly empty).
    Clients that loop over them without a check fail.
    """
    for choice in read_choices(context):
        if choice.annotations is None:
            where = in_choice(context, choice, "message/annotations")
            yield f"The annotations of choice {choice.index} are null.", where


@rule(
    "message.annotation-outside",
    Severity.INFO,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.ANNOTATIONS,
)
def annotation_outside(context: RuleContext) -> Iterator[Remark]:
    """An annotation stands for characters that the text does not have.
    Clients that mark the cited passage mark another one or fail.
    """
    for choice in read_choices(context):
        for position, annotation in enumerate(list_or_empty(choice.annotations)):
            text = choice.content if isinstance(choice.content, str) else ""
            start, end = _annotated(annotation)
            if start.__class__ is int is end.__class__ and not 0 <= start <= end <= len(text):
                where = in_choice(context, choice, f"message/annotations/{position}")
                said = f"stands for characters {start:,} to {end:,} of {len(text):,}"
                yield f"An annotation of choice {choice.index} {said}.", where


def _annotated(annotation: Json) -> tuple[Any, Any]:
    """Where the text begins and ends that an annotation is about, as sent."""
    fields = annotation if isinstance(annotation, dict) else {}
    inside = fields.get(str(fields.get("type")))
    fields = inside if isinstance(inside, dict) else fields
    return fields.get("start_index"), fields.get("end_index")


@rule("message.annotations-missing", Severity.INFO, formats=CHAT_FAMILY, when=Trait.WHOLE)
def annotations_missing(context: RuleContext) -> Iterator[Remark]:
    """A complete message of WorkflowAI has no annotations (its reference: always an array).
    Clients that loop over them without a check fail.
    """
    if context.dialect is None or "000" not in context.dialect.documents:
        return
    for choice in _whole(context):
        is_malformed = any(note.subject == "annotations" for note, _ in _malformed(context))
        if choice.annotations is UNSET and not is_malformed:
            where = in_choice(context, choice, "message/annotations")
            yield f"The message of choice {choice.index} has no annotations.", where


@rule("message.delta-in-whole", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.DELTA_IN_WHOLE)
def delta_in_whole(context: RuleContext) -> Iterator[Remark]:
    """A choice of a complete answer has a delta, which belongs in a stream (FlowAPI's reference).
    Clients that read only the message miss the text.
    """
    note = context.notes.first(Anomaly.DELTA_IN_WHOLE)
    if context.is_answer and note is not None and context.fragment is None:
        count = times(context.notes.count(Anomaly.DELTA_IN_WHOLE))
        yield f"A choice of a complete answer has a delta{count}.", note.where


@rule(
    "message.reasoning-after-content",
    Severity.INFO,
    formats=CHAT_FAMILY,
    when=Anomaly.REASONING_AFTER_CONTENT,
)
def reasoning_after_content(context: RuleContext) -> Iterator[Remark]:
    """Reasoning came after the first content; the reasoning reference has it before the answer.
    Clients that close the reasoning at the first content show it in the wrong place or not at all.
    """
    for note, _ in context.notes.by_subject(Anomaly.REASONING_AFTER_CONTENT):
        if context.is_answer:
            yield f"Reasoning of choice {note.subject} came after its first content.", note.where


@rule("message.legacy-function-call", Severity.INFO, formats=CHAT_FAMILY, when=Trait.CALL_UNUSUAL)
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
        yield (f"Choice {note.subject} has reasoning in two fields{times(count)}.", note.where)


@rule("message.think-passage", Severity.INFO, when=Trait.THOUGHT_INLINE)
def think_passage(context: RuleContext) -> Iterator[Remark]:
    """Content begins with reasoning: a <think> block, or what ends with </think>.
    Clients that show or parse the content include the reasoning.
    """
    for choice in read_choices(context):
        passage, content = choice.inline_reasoning, choice.content
        if passage is None or not isinstance(content, str):
            continue
        # Without an opening tag the passage has an end.
        words = opening_tag(content, passage.start) or (
            f"reasoning up to character {passage.end or 0:,}: </think> ends it, and no tag opens it"
        )
        yield (
            f"The content of choice {choice.index} begins with {words}.",
            at_content(context, choice),
        )


@rule("message.think-in-reasoning", Severity.WARNING, when=Trait.REASONING)
def think_in_reasoning(context: RuleContext) -> Iterator[Remark]:
    """The field of the reasoning has a tag of it, such as </think>, and perhaps the answer, too.
    Readers see the tag; an answer behind it is taken for reasoning.
    """
    for choice in read_choices(context):
        reasoning = choice.reasoning
        if not isinstance(reasoning, str) or (passage := inline_reasoning(reasoning)) is None:
            continue
        behind = len(reasoning[passage.end :].strip()) if passage.end is not None else 0
        more = f", and {behind:,} characters behind what it ends" if behind else ""
        where = Where(pointer=context.pointer_of(choice.index))
        yield f"The reasoning of choice {choice.index} has a tag such as </think>{more}.", where


@rule("message.think-unclosed", Severity.WARNING, at_end=True, when=Trait.THOUGHT_INLINE)
def think_unclosed(context: RuleContext) -> Iterator[Remark]:
    """A <think> block is not closed, although its choice ended by itself.
    Clients that remove the block show nothing or all of it.
    """
    for choice in read_choices(context):
        passage = choice.inline_reasoning
        if passage is not None and passage.end is None and is_model_end(choice.finish_reason):
            where = at_content(context, choice)
            tag = opening_tag(str(choice.content), passage.start)
            yield f"The {tag} block of choice {choice.index} is not closed.", where


def _whole(context: RuleContext) -> tuple[Choice, ...]:
    """Choices of a whole chat answer with messages; none for a stream or a single chunk."""
    is_chunk = any(name.endswith(".chunk") for name in context.signs.objects)
    is_chunk = is_chunk or context.fragment is Fragment.CHUNK
    is_whole = context.object == "chat.completion" and not context.streamed and not is_chunk
    return read_choices(context) if is_whole and context.signs.message else ()


def _malformed(context: RuleContext) -> Iterator[tuple[AnomalyNote, int]]:
    return context.notes.by_subject(Anomaly.BAD_CONTENT)
