"""The message of a choice: its role, its texts, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from inspector.core import json_text
from inspector.core.completion import Choice, known
from inspector.core.cursor import shorten
from inspector.core.facts import Facts, Trait
from inspector.core.findings import Severity, Where
from inspector.core.notes import Note, Oddity
from inspector.core.rules.rule import Remark, in_choice, read_choices, rule, times


@rule("message.malformed", Severity.WARNING, when=Oddity.BAD_DELTA)
def message_malformed(facts: Facts) -> Iterator[Remark]:
    """The message or delta of a choice is not an object.
    Clients that read a field of it fail.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_DELTA):
        yield f"A {note.subject} is not an object{times(count)}.", note.where


@rule("message.missing", Severity.WARNING, at_end=True)
def message_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a chat answer has no message.
    Clients that read choices[0].message fail.
    """
    if facts.object != "chat.completion" or facts.signs.message or not facts.choices:
        return
    if not facts.notes.count(Oddity.BAD_DELTA):
        yield "No choice has a message or delta.", Where(pointer="/choices/0")


@rule("message.field-malformed", Severity.WARNING, when=Oddity.BAD_CONTENT)
def field_malformed(facts: Facts) -> Iterator[Remark]:
    """Content, text, reasoning, refusal or tool calls have a type that no reference allows.
    Clients that join or show them fail.
    """
    for note, count in _malformed(facts):
        if note.subject != "annotations":
            yield f"{note.subject} has the wrong type{times(count)}.", note.where


@rule("message.role-unexpected", Severity.WARNING)
def role_unexpected(facts: Facts) -> Iterator[Remark]:
    """The role is not "assistant".
    Clients that append the message to the conversation send a wrong role.
    """
    for choice in read_choices(facts):
        if known(choice.role) and choice.role not in ("assistant", ""):
            where = in_choice(facts, choice, "message/role")
            yield f"Choice {choice.index} has the role {shorten(choice.role)!r}.", where


@rule("message.role-changed", Severity.WARNING, when=Oddity.ROLE_CHANGED)
def role_changed(facts: Facts) -> Iterator[Remark]:
    """The role of a choice changed between chunks; the first one is used.
    Clients that keep the last one disagree.
    """
    for note, count in facts.notes.by_subject(Oddity.ROLE_CHANGED):
        yield f"The role of choice {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("message.role-missing", Severity.WARNING)
def role_missing(facts: Facts) -> Iterator[Remark]:
    """The message of a complete answer has no role.
    Clients that append the message to the conversation send one without a role.
    """
    for choice in _whole(facts):
        if not known(choice.role):
            where = in_choice(facts, choice, "message/role")
            yield f"The message of choice {choice.index} has no role.", where


@rule("message.content-missing", Severity.INFO)
def content_missing(facts: Facts) -> Iterator[Remark]:
    """The message of a complete answer has no content field, not even null.
    Clients that read message["content"] fail.
    """
    is_malformed = any(note.subject == "content" for note, _ in _malformed(facts))
    for choice in _whole(facts) if not is_malformed else ():
        if choice.content is UNSET:
            where = in_choice(facts, choice, "message/content")
            yield f"The message of choice {choice.index} has no content.", where


@rule("message.content-null", Severity.INFO)
def content_null(facts: Facts) -> Iterator[Remark]:
    """The content is null, which WorkflowAI's reference does not allow.
    Clients that join or measure it as text fail.
    """
    for choice in _whole(facts):
        if choice.content is None and choice.says_something:
            where = in_choice(facts, choice, "message/content")
            yield f"The content of choice {choice.index} is null.", where


@rule("message.content-parts", Severity.INFO, when=Oddity.CONTENT_PARTS)
def content_parts(facts: Facts) -> Iterator[Remark]:
    """Content was sent as a list of parts instead of a text.
    Clients that join it as text fail or lose it.
    """
    for note, count in facts.notes.by_subject(Oddity.CONTENT_PARTS):
        yield f"The content of choice {note.subject} is a list of parts{times(count)}.", note.where


@rule("message.not-the-json-asked", Severity.WARNING, at_end=True, when=Trait.ASKED)
def not_the_json_asked(facts: Facts) -> Iterator[Remark]:
    """JSON was requested, and the content of a choice that ended with "stop" is not JSON.
    Clients that parse it fail.
    """
    if facts.asked is None or not facts.asked.wants_json:
        return
    for choice in read_choices(facts):
        content = choice.content
        if choice.finish_reason != "stop" or not isinstance(content, str) or not content:
            continue
        fault = json_text.parse(content.encode("utf-8", "surrogatepass")).fatal
        if fault is not None and not choice.refusal and not choice.tool_calls:
            where = in_choice(facts, choice, "message/content")
            yield f"The content of choice {choice.index} is not the JSON that was requested.", where


@rule("message.refusal-beside-content", Severity.INFO)
def refusal_beside_content(facts: Facts) -> Iterator[Remark]:
    """A choice has both a refusal and content.
    Clients that show only one of them hide the other.
    """
    for choice in read_choices(facts):
        if known(choice.refusal) and choice.refusal and known(choice.content) and choice.content:
            where = in_choice(facts, choice, "message/refusal")
            yield f"Choice {choice.index} has both a refusal and content.", where


@rule("message.annotations-malformed", Severity.WARNING, when=Oddity.BAD_CONTENT)
def annotations_malformed(facts: Facts) -> Iterator[Remark]:
    """``annotations`` is not a list (WorkflowAI's reference: always an array).
    Clients that loop over them fail.
    """
    for note, count in _malformed(facts):
        if note.subject == "annotations":
            yield f"annotations is not a list{times(count)}.", note.where


@rule("message.annotations-null", Severity.INFO)
def annotations_null(facts: Facts) -> Iterator[Remark]:
    """``annotations`` is null (WorkflowAI's reference: always an array, possibly empty).
    Clients that loop over them without a check fail.
    """
    for choice in read_choices(facts):
        if choice.annotations is None:
            where = in_choice(facts, choice, "message/annotations")
            yield f"The annotations of choice {choice.index} are null.", where


@rule("message.legacy-function-call", Severity.INFO)
def legacy_function_call(facts: Facts) -> Iterator[Remark]:
    """A function is called through the deprecated ``function_call``.
    Agents that read only tool_calls miss it.
    """
    for choice in read_choices(facts):
        if choice.function_call is not None and not choice.function_call.is_empty:
            where = in_choice(facts, choice, "message/function_call")
            yield f"Choice {choice.index} calls a function through function_call.", where


@rule("message.reasoning-twice", Severity.INFO, when=Oddity.REASONING_TWICE)
def reasoning_twice(facts: Facts) -> Iterator[Remark]:
    """Reasoning was sent both as reasoning_content and as reasoning.
    Clients that read both fields show it twice.
    """
    for note, count in facts.notes.by_subject(Oddity.REASONING_TWICE):
        yield (
            f"Choice {note.subject} has reasoning in two fields{times(count)}.",
            note.where,
        )


@rule("message.think-passage", Severity.INFO)
def think_passage(facts: Facts) -> Iterator[Remark]:
    """Content begins with a <think> block: reasoning inside the answer.
    Clients that show or parse the content include the reasoning.
    """
    for choice in read_choices(facts):
        if choice.inline_reasoning is not None:
            where = in_choice(facts, choice, "message/content")
            yield f"The content of choice {choice.index} begins with <think>.", where


@rule("message.think-unclosed", Severity.WARNING, at_end=True)
def think_unclosed(facts: Facts) -> Iterator[Remark]:
    """A <think> block is not closed, although its choice ended with "stop".
    Clients that remove the block show nothing or all of it.
    """
    for choice in read_choices(facts):
        passage = choice.inline_reasoning
        if passage is not None and passage.end is None and choice.finish_reason == "stop":
            where = in_choice(facts, choice, "message/content")
            yield f"The <think> block of choice {choice.index} is not closed.", where


def _whole(facts: Facts) -> tuple[Choice, ...]:
    """Choices of a whole answer that holds messages, and is no chunk that came alone."""
    is_chunk = any(name.endswith(".chunk") for name in facts.signs.objects)
    is_whole = facts.object == "chat.completion" and not facts.streamed and not is_chunk
    return read_choices(facts) if is_whole and facts.signs.message else ()


def _malformed(facts: Facts) -> Iterator[tuple[Note, int]]:
    return facts.notes.by_subject(Oddity.BAD_CONTENT)
