"""Rules about what servers leave in texts: markup of the model's template, characters that were
cut in two, and those that were read by another encoding than UTF-8.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.completion import ArgumentsState, Choice, known
from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.formats.places import CHAT_CHOICE
from inspector.core.json.parser import JsonFaultKind
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import Remark, in_choice, read_choices, rule
from inspector.core.rules.traits import Trait
from inspector.core.text.misread_encoding import misread_words
from inspector.core.text.template_markup import (
    Markup,
    MarkupKind,
    bare_call,
    template_markup,
)
from inspector.core.text.template_markup import markup_in_arguments as find_in_arguments

REPLACEMENT = "\ufffd"
AROUND = 12
"""Characters before and behind a place that a message quotes."""
# As in "U+FFFD": an answer that speaks of the character.
_NAMED = re.compile(r"u\+fffd|\\ufffd|replacement char", re.IGNORECASE)


class _Text(NamedTuple):
    """A text of a choice, what it is called, and its place."""

    choice: Choice
    name: str
    text: str
    where: Where


def _texts(context: RuleContext) -> Iterator[_Text]:
    for choice in read_choices(context):
        for name in ("content", "text", "reasoning", "refusal"):
            text = getattr(choice, name)
            if known(text) and isinstance(text, str):
                yield _Text(choice, name, text, _where(context, choice, name))


def _where(context: RuleContext, choice: Choice, name: str) -> Where:
    if context.places.choice != CHAT_CHOICE or name == "reasoning":
        return Where(pointer=context.pointer_of(choice.index))
    return in_choice(context, choice, name if name == "text" else f"message/{name}")


def _markup(context: RuleContext, kind: MarkupKind) -> Iterator[tuple[_Text, Markup]]:
    for one in _texts(context):
        for found in template_markup(one.text):
            if found.kind is kind:
                yield one, found


@rule("message.call-in-text", Severity.WARNING, when=Trait.MARKUP)
def call_in_text(context: RuleContext) -> Iterator[Remark]:
    """A tool call stands in a text, in the markup of the model's template.
    Agents that read tool_calls find no call and end the turn, and readers see the markup.
    """
    for one, found in _calls(context, MarkupKind.CALL):
        yield (
            f"A call stands in the {one.name} of choice {one.choice.index} as text, from character "
            f"{found.start:,}: “{_quoted(one.text, found)}”.",
            one.where,
        )


@rule("message.may-be-call", Severity.INFO, when=Trait.MARKUP)
def may_be_call(context: RuleContext) -> Iterator[Remark]:
    """A text is JSON with a name and parameters: it may be a tool call, or the answer.
    Agents that read tool_calls find no call, if it is one.
    """
    for one, found in _calls(context, MarkupKind.OPEN):
        subject = f"The {one.name} of choice {one.choice.index} may be a call as text"
        yield f"{subject}: “{_quoted(one.text, found)}”.", one.where


def _calls(context: RuleContext, kind: MarkupKind) -> Iterator[tuple[_Text, Markup]]:
    params = context.request_params
    wants_json = params is not None and params.wants_json
    for one, found in _markup(context, kind):
        # JSON may be what was asked for.
        if not (wants_json and bare_call(one.text)):
            yield one, found


def _quoted(text: str, found: Markup) -> str:
    behind = found.end + AROUND
    words = shorten(" ".join(text[found.start : behind].split()))
    return words + ("…" if behind < len(text) and not words.endswith("…") else "")


@rule("message.control-tokens", Severity.WARNING, when=Trait.MARKUP)
def control_tokens(context: RuleContext) -> Iterator[Remark]:
    """A text has control tokens of the model's template, which the server did not remove.
    Readers see them, and with the markers of channels also the reasoning.
    """
    for one, found in _markup(context, MarkupKind.TURN):
        yield (
            f"The {one.name} of choice {one.choice.index} has control tokens of the model, from "
            f"character {found.start:,}: “{shorten(one.text[found.start : found.end])}”.",
            one.where,
        )


@rule("tool.markup-in-arguments", Severity.WARNING, when=Trait.CALLS)
def markup_in_arguments(context: RuleContext) -> Iterator[Remark]:
    """Arguments have signs of the model's template, which the server did not parse.
    Tools get them as a part of a name or value, or nothing that is JSON.
    """
    for choice in read_choices(context):
        for position, call in enumerate(choice.tool_calls):
            text = call.arguments_text
            is_json = call.arguments_state is ArgumentsState.VALID
            found = find_in_arguments(text, is_json=is_json) if isinstance(text, str) else None
            if found:
                where = Where(pointer=context.call_pointer_of(choice, position))
                subject = f"The arguments of {shorten(call.name or 'a call')}"
                yield f"{subject} have a sign of the model's template: “{shorten(found)}”.", where


@rule("message.characters-lost", Severity.WARNING, when=Trait.REPLACED)
def characters_lost(context: RuleContext) -> Iterator[Remark]:
    """A text or arguments have U+FFFD, the replacement character: a server cut characters in two.
    Readers get damaged words, and tools damaged values.
    """
    if context.notes.has(Anomaly.JSON_FAULT, JsonFaultKind.INVALID_UTF8):
        # Then it is we who put it in place of bytes, which have a finding of their own.
        return
    for one in _texts(context):
        if REPLACEMENT in one.text and not _NAMED.search(one.text):
            yield _lost(f"The {one.name} of choice {one.choice.index}", one.text), one.where
    for choice in read_choices(context):
        for position, call in enumerate(choice.tool_calls):
            text = call.arguments_text
            if isinstance(text, str) and REPLACEMENT in text and not _NAMED.search(text):
                where = Where(pointer=context.call_pointer_of(choice, position))
                yield _lost(f"The arguments of {shorten(call.name or 'a call')}", text), where


@rule("message.misread-encoding", Severity.WARNING, when=Trait.MISREAD)
def misread_encoding(context: RuleContext) -> Iterator[Remark]:
    """A text has UTF-8 that a server read as Latin-1 or Windows-1252: "Ã¶" in place of "ö".
    Readers get damaged words.
    """
    for one in _texts(context):
        words = misread_words(one.text)
        if words is not None:
            shown, meant = words
            yield (
                f"The {one.name} of choice {one.choice.index} has UTF-8 that was read by another "
                f"encoding: “{shorten(shown)}” for “{shorten(meant)}”.",
                one.where,
            )


def _lost(subject: str, text: str) -> str:
    at = text.index(REPLACEMENT)
    around = shorten(" ".join(text[max(0, at - AROUND) : at + AROUND].split()))
    count = text.count(REPLACEMENT)
    first = "," if count == 1 else f", {count:,} times, first"
    return f"{subject}: U+FFFD in place of a character{first} at {at:,}: “{around}”."
