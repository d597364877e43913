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
    Clients that read a field of it.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_DELTA):
        yield f"A {note.subject} is not an object{times(count)}.", note.where


@rule("message.missing", Severity.WARNING, at_end=True)
def message_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a chat answer has no message.
    Clients that read choices[0].message.
    """
    if facts.object != "chat.completion" or facts.signs.message or not facts.choices:
        return
    if not facts.notes.count(Oddity.BAD_DELTA):
        yield "No choice holds a message or delta.", Where(pointer="/choices/0")


@rule("message.field-malformed", Severity.WARNING, when=Oddity.BAD_CONTENT)
def field_malformed(facts: Facts) -> Iterator[Remark]:
    """Content, text, reasoning, refusal or calls of a type that no document gives them.
    Clients that join or show them.
    """
    for note, count in _malformed(facts):
        if note.subject != "annotations":
            yield f"{note.subject} is of a wrong type{times(count)}.", note.where


@rule("message.role-unexpected", Severity.WARNING)
def role_unexpected(facts: Facts) -> Iterator[Remark]:
    """The role is another than "assistant".
    Clients that append the message to the conversation.
    """
    for choice in read_choices(facts):
        if known(choice.role) and choice.role not in ("assistant", ""):
            where = in_choice(facts, choice, "message/role")
            yield f"Choice {choice.index} has the role {shorten(choice.role)!r}.", where


@rule("message.role-changed", Severity.WARNING, when=Oddity.ROLE_CHANGED)
def role_changed(facts: Facts) -> Iterator[Remark]:
    """The role of a choice changed between chunks; the first one holds.
    Clients that keep the last.
    """
    for note, count in facts.notes.by_subject(Oddity.ROLE_CHANGED):
        yield f"The role of choice {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("message.role-missing", Severity.WARNING)
def role_missing(facts: Facts) -> Iterator[Remark]:
    """The message of a whole answer has no role (000, 001, 002 and 003 show it).
    Clients that append the message to the conversation.
    """
    for choice in _whole(facts):
        if not known(choice.role):
            where = in_choice(facts, choice, "message/role")
            yield f"The message of choice {choice.index} has no role.", where


@rule("message.content-missing", Severity.INFO)
def content_missing(facts: Facts) -> Iterator[Remark]:
    """The message of a whole answer has no content, not even null (001 and 002 have it always).
    Clients that read message["content"].
    """
    is_malformed = any(note.subject == "content" for note, _ in _malformed(facts))
    for choice in _whole(facts) if not is_malformed else ():
        if choice.content is UNSET:
            where = in_choice(facts, choice, "message/content")
            yield f"The message of choice {choice.index} has no content.", where


@rule("message.content-null", Severity.INFO)
def content_null(facts: Facts) -> Iterator[Remark]:
    """The content of a whole answer is null, which 002 allows and 000 does not.
    Clients that join or measure it as text.
    """
    for choice in _whole(facts):
        if choice.content is None and choice.says_something:
            where = in_choice(facts, choice, "message/content")
            yield f"The content of choice {choice.index} is null.", where


@rule("message.content-parts", Severity.INFO, when=Oddity.CONTENT_PARTS)
def content_parts(facts: Facts) -> Iterator[Remark]:
    """Content was sent as a list of parts, where 000, 001 and 002 have a text.
    Clients that join it as text: they raise or lose it.
    """
    for note, count in facts.notes.by_subject(Oddity.CONTENT_PARTS):
        yield f"The content of choice {note.subject} is a list of parts{times(count)}.", note.where


@rule("message.not-the-json-asked", Severity.WARNING, at_end=True, when=Trait.ASKED)
def not_the_json_asked(facts: Facts) -> Iterator[Remark]:
    """The request asks for JSON, and the content of a choice that ended with "stop" is none.
    Clients that parse it.
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
            yield f"The content of choice {choice.index} is not the JSON asked for.", where


@rule("message.refusal-beside-content", Severity.INFO)
def refusal_beside_content(facts: Facts) -> Iterator[Remark]:
    """A choice holds a refusal and content (000: a refusal is null unless the model refuses).
    Clients that show one of them.
    """
    for choice in read_choices(facts):
        if known(choice.refusal) and choice.refusal and known(choice.content) and choice.content:
            where = in_choice(facts, choice, "message/refusal")
            yield f"Choice {choice.index} refuses and answers.", where


@rule("message.annotations-malformed", Severity.WARNING, when=Oddity.BAD_CONTENT)
def annotations_malformed(facts: Facts) -> Iterator[Remark]:
    """Annotations are no list (000: always an array, possibly empty).
    Clients that walk them.
    """
    for note, count in _malformed(facts):
        if note.subject == "annotations":
            yield f"annotations is not a list{times(count)}.", note.where


@rule("message.annotations-null", Severity.INFO)
def annotations_null(facts: Facts) -> Iterator[Remark]:
    """Annotations are null (000: always an array, possibly empty).
    Clients that walk them without a look.
    """
    for choice in read_choices(facts):
        if choice.annotations is None:
            where = in_choice(facts, choice, "message/annotations")
            yield f"The annotations of choice {choice.index} are null.", where


@rule("message.legacy-function-call", Severity.INFO)
def legacy_function_call(facts: Facts) -> Iterator[Remark]:
    """A function is called in the deprecated way; 002 and 003 have tool_calls only.
    Agents that look at tool_calls alone: they miss it.
    """
    for choice in read_choices(facts):
        if choice.function_call is not None and not choice.function_call.is_empty:
            where = in_choice(facts, choice, "message/function_call")
            yield f"Choice {choice.index} calls a function by function_call.", where


@rule("message.reasoning-twice", Severity.INFO, when=Oddity.REASONING_TWICE)
def reasoning_twice(facts: Facts) -> Iterator[Remark]:
    """Reasoning was sent as reasoning_content and as reasoning.
    Clients that read both names show it twice.
    """
    for note, count in facts.notes.by_subject(Oddity.REASONING_TWICE):
        yield f"Choice {note.subject} has its reasoning under two names{times(count)}.", note.where


@rule("message.think-passage", Severity.INFO)
def think_passage(facts: Facts) -> Iterator[Remark]:
    """Content begins with a <think> passage: reasoning that is part of the answer.
    Clients that show or parse the content.
    """
    for choice in read_choices(facts):
        if choice.inline_reasoning is not None:
            where = in_choice(facts, choice, "message/content")
            yield f"The content of choice {choice.index} begins with <think>.", where


@rule("message.think-unclosed", Severity.WARNING, at_end=True)
def think_unclosed(facts: Facts) -> Iterator[Remark]:
    """A <think> passage is never closed, although its choice ended by itself.
    Clients that cut the passage out: they show nothing, or all of it.
    """
    for choice in read_choices(facts):
        passage = choice.inline_reasoning
        if passage is not None and passage.end is None and choice.finish_reason == "stop":
            where = in_choice(facts, choice, "message/content")
            yield f"The <think> passage of choice {choice.index} is never closed.", where


def _whole(facts: Facts) -> tuple[Choice, ...]:
    """Choices of a whole answer that holds messages, and is no chunk that came alone."""
    is_chunk = any(name.endswith(".chunk") for name in facts.signs.objects)
    is_whole = facts.object == "chat.completion" and not facts.streamed and not is_chunk
    return read_choices(facts) if is_whole and facts.signs.message else ()


def _malformed(facts: Facts) -> Iterator[tuple[Note, int]]:
    return facts.notes.by_subject(Oddity.BAD_CONTENT)
