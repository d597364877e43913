"""A call's argument text with the place where it breaks."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.completion import ArgumentsCause, ArgumentsState, FunctionCall, ToolCall, known
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.wire import wire_word

HEAD = 44
TAIL = 26

BROKEN = (ArgumentsState.INVALID, ArgumentsState.TRUNCATED)

STATES = {
    ArgumentsState.VALID: "arguments are valid JSON",
    ArgumentsState.INVALID: "arguments are not valid JSON",
    ArgumentsState.TRUNCATED: "arguments truncated",
    ArgumentsState.EMPTY: "arguments empty",
    ArgumentsState.FREE_TEXT: "free text",
}


@dataclass(frozen=True, slots=True)
class CallText:
    """The text before the breaking character, that character, and what follows it."""

    name: str
    name_sent: bool
    index: int | None
    state: ArgumentsState
    state_words: str
    broken: bool
    """An agent that parses it once does not get what it needs."""
    length: int
    before: tuple[Segment, ...]
    breaking: str
    after: tuple[Segment, ...]
    short: str
    """Around the break, or the head of the text, in one line."""
    short_end: str
    """The tail of a text that does not break."""


def call_text(call: ToolCall | FunctionCall) -> CallText:
    text, broken = call.arguments_text, call.arguments_state in BROKEN
    cut = breaking_at(call)
    short, short_end = shortened(text[:cut] if broken else text)
    return CallText(
        name=call.name if isinstance(call.name, str) and call.name else wire_word(call.name),
        name_sent=known(call.name) and call.name != "",
        index=getattr(call, "index", None),
        state=call.arguments_state,
        state_words=state_words(call),
        broken=broken or call.arguments_cause is not None,
        length=len(text),
        before=exact(text[:cut]),
        breaking=shown_breaking(text, cut) if broken else "",
        after=exact(text[cut + 1 :]),
        short=short,
        short_end=short_end,
    )


def state_words(call: ToolCall | FunctionCall) -> str:
    if call.arguments_cause is ArgumentsCause.DOUBLE_ENCODED:
        return "arguments are double-encoded JSON"
    return STATES[call.arguments_state]


def breaking_at(call: ToolCall | FunctionCall) -> int:
    """The first breaking character; the end of a text that does not break, or was cut."""
    whole = len(call.arguments_text)
    return whole if call.invalid_at is None else min(call.invalid_at, whole)


def shortened(text: str) -> tuple[str, str]:
    """Head and tail of a text in one line; no tail where it fits."""
    if len(text) <= HEAD + TAIL:
        return " ".join(text.split()), ""
    return " ".join(text[:HEAD].split()), " ".join(text[-TAIL:].split())


def shown_breaking(text: str, at: int) -> str:
    """The first breaking character, a no-break space where the text ends too early."""
    character = text[at : at + 1]
    if not character or character.isspace():
        return "\u00a0"
    return "".join(segment.text for segment in exact(character))
