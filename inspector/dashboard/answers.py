"""What a choice says: its answer, apart from the reasoning that stands in front of it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.completion import Choice, FunctionCall, ToolCall, known
from inspector.core.tape import LaneKind


@dataclass(frozen=True, slots=True)
class Said:
    """A text as it was sent (absent, null and empty among it); ``at`` is where it begins in the
    text of its lane, in characters.
    """

    kind: LaneKind
    text: object
    at: int = 0


def answer_of(choice: Choice) -> tuple[Said, Said | None]:
    """The answer, and the reasoning where there is some: a field of its own, or a ``<think>``
    passage at the head of content.
    """
    answer = whole_answer(choice)
    if known(choice.reasoning):
        return answer, Said(LaneKind.REASONING, choice.reasoning)
    inside = choice.inline_reasoning
    if inside is None or not isinstance(answer.text, str):
        return answer, None
    end = len(answer.text) if inside.end is None else inside.end
    rest = answer.text[end:]
    at = end + len(rest) - len(rest.lstrip("\n"))
    thought = Said(answer.kind, answer.text[inside.start : end], inside.start)
    return Said(answer.kind, answer.text[at:], at), thought


def whole_answer(choice: Choice) -> Said:
    """``content`` in a chat, ``text`` in a legacy completion."""
    if known(choice.text):
        return Said(LaneKind.TEXT, choice.text)
    return Said(LaneKind.CONTENT, choice.content)


def answer_text(choice: Choice) -> str:
    text = answer_of(choice)[0].text
    return text if isinstance(text, str) else ""


def calls_of(choice: Choice) -> tuple[ToolCall | FunctionCall, ...]:
    legacy = (choice.function_call,) if choice.function_call is not None else ()
    return (*choice.tool_calls, *legacy)
