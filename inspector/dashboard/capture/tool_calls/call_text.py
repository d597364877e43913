"""A call's arguments split at the place where they break."""

from dataclasses import dataclass

from inspector.core.completion import ArgumentsCause, ArgumentsState, FunctionCall, ToolCall, known
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import wire_word

HEAD = 44
"""With `TAIL` one line beside the call's name: how arguments begin, and where they end."""
TAIL = 26

BROKEN_STATES = (ArgumentsState.INVALID, ArgumentsState.TRUNCATED)

STATES = {
    ArgumentsState.VALID: "arguments are valid JSON",
    ArgumentsState.INVALID: "arguments are not valid JSON",
    ArgumentsState.TRUNCATED: "arguments truncated",
    ArgumentsState.EMPTY: "arguments empty",
    ArgumentsState.FREE_TEXT: "free text",
}
UNUSABLE = {
    ArgumentsCause.DOUBLE_ENCODED: "arguments are double-encoded JSON",
    ArgumentsCause.NOT_AN_OBJECT: "arguments are JSON, but not an object",
    ArgumentsCause.REPEATED_NAME: "arguments repeat a name",
}
"""Causes for which valid JSON cannot be used."""


@dataclass(frozen=True, slots=True)
class CallTextDisplay:
    """Text before the breaking character, that character, and the text after it."""

    name: str
    name_sent: bool
    index: int | None
    state: ArgumentsState
    state_words: str
    broken: bool
    """True if parsing the arguments once does not give an agent a usable object."""
    length: int
    before: tuple[TextSegment, ...]
    breaking: str
    after: tuple[TextSegment, ...]
    short: str
    """One-line excerpt around the break, or the head of valid arguments."""
    short_end: str
    """One-line tail of valid arguments."""


def call_text_display(call: ToolCall | FunctionCall) -> CallTextDisplay:
    text, broken = call.arguments_text, call.arguments_state in BROKEN_STATES
    cut = break_offset(call)
    short, short_end = head_and_tail(text[:cut] if broken else text)
    return CallTextDisplay(
        name=call.name if isinstance(call.name, str) and call.name else wire_word(call.name),
        name_sent=known(call.name) and call.name != "",
        index=getattr(call, "index", None),
        state=call.arguments_state,
        state_words=state_words(call),
        broken=broken or call.arguments_cause is not None,
        length=len(text),
        before=exact_segments(text[:cut]),
        breaking=breaking_character(text, cut) if broken else "",
        after=exact_segments(text[cut + 1 :]),
        short=short,
        short_end=short_end,
    )


def state_words(call: ToolCall | FunctionCall) -> str:
    cause = call.arguments_cause
    return UNUSABLE[cause] if cause in UNUSABLE else STATES[call.arguments_state]


def break_offset(call: ToolCall | FunctionCall) -> int:
    """Offset of the breaking character, or the text's length if it is valid or truncated."""
    whole = len(call.arguments_text)
    return whole if call.invalid_at is None else min(call.invalid_at, whole)


def head_and_tail(text: str) -> tuple[str, str]:
    """Head and tail as one-line excerpts; no tail if the whole text fits."""
    if len(text) <= HEAD + TAIL:
        return " ".join(text.split()), ""
    return " ".join(text[:HEAD].split()), " ".join(text[-TAIL:].split())


def breaking_character(text: str, at: int) -> str:
    """Return the breaking character; a no-break space if the text ends too early."""
    character = text[at : at + 1]
    if not character or character.isspace():
        return "\u00a0"
    return "".join(segment.text for segment in exact_segments(character))
