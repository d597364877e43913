"""A call's argument text with the place where it breaks."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.completion import ArgumentsState, FunctionCall, ToolCall, known
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.wire import NOT_SENT, wire_word

HEAD = 44
TAIL = 26

STATES = {
    ArgumentsState.VALID: "arguments are valid JSON",
    ArgumentsState.INVALID: "arguments are not JSON",
    ArgumentsState.TRUNCATED: "arguments truncated",
    ArgumentsState.EMPTY: "arguments empty",
}


@dataclass(frozen=True, slots=True)
class CallText:
    """The text before the breaking character, that character, and what follows it."""

    name: str
    name_sent: bool
    index: int | None
    state: ArgumentsState
    state_words: str
    length: int
    before: tuple[Segment, ...]
    breaking: str
    after: tuple[Segment, ...]
    short: str
    """The whole text in one line, its middle left out where it is long."""
    short_end: str

    @property
    def broken(self) -> bool:
        return self.state in (ArgumentsState.INVALID, ArgumentsState.TRUNCATED)


def call_text(call: ToolCall | FunctionCall) -> CallText:
    text = call.arguments_text
    cut = len(text) if call.invalid_at is None else min(call.invalid_at, len(text))
    broken = call.arguments_state in (ArgumentsState.INVALID, ArgumentsState.TRUNCATED)
    short, short_end = shortened(text)
    return CallText(
        name=call.name if isinstance(call.name, str) and call.name else wire_word(call.name),
        name_sent=known(call.name) and call.name != "" and call.name != NOT_SENT,
        index=getattr(call, "index", None),
        state=call.arguments_state,
        state_words=STATES[call.arguments_state],
        length=len(text),
        before=exact(text[:cut]),
        breaking=shown_breaking(text, cut) if broken else "",
        after=exact(text[cut + 1 :] if broken else text[cut:]),
        short=short,
        short_end=short_end,
    )


def shortened(text: str) -> tuple[str, str]:
    """Head and tail of a text; no tail where it fits into one line."""
    line = " ".join(text[:4_000].split()) if len(text) < 4_000 else text
    if len(line) <= HEAD + TAIL:
        return line, ""
    return line[:HEAD], line[-TAIL:]


def shown_breaking(text: str, at: int) -> str:
    """The first breaking character, a no-break space where the text ends too early."""
    character = text[at : at + 1]
    if not character or character.isspace():
        return "\u00a0"
    return "".join(segment.text for segment in exact(character))
