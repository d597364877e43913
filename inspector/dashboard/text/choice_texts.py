"""Separates a choice's answer from its reasoning."""

from dataclasses import dataclass

from inspector.core.completion import Choice, FunctionCall, ToolCall, known
from inspector.core.tape import LaneKind


@dataclass(frozen=True, slots=True)
class ChoiceTextPart:
    """A text as sent (or absent, null, empty); ``at`` is its offset in its lane, in characters."""

    kind: LaneKind
    text: object
    at: int = 0


def answer_of(choice: Choice) -> tuple[ChoiceTextPart, ChoiceTextPart | None]:
    """Return the answer and the reasoning, if any: a field, or ``<think>`` at the content's
    start.
    """
    answer = full_answer(choice)
    if known(choice.reasoning):
        return answer, ChoiceTextPart(LaneKind.REASONING, choice.reasoning)
    inside = choice.inline_reasoning
    if inside is None or not isinstance(answer.text, str):
        return answer, None
    end = len(answer.text) if inside.end is None else inside.end
    rest = answer.text[end:]
    at = end + len(rest) - len(rest.lstrip("\n"))
    thought = ChoiceTextPart(answer.kind, answer.text[inside.start : end], inside.start)
    return ChoiceTextPart(answer.kind, answer.text[at:], at), thought


def full_answer(choice: Choice) -> ChoiceTextPart:
    """Return ``content`` in chat, ``text`` in a legacy completion."""
    if known(choice.text):
        return ChoiceTextPart(LaneKind.TEXT, choice.text)
    return ChoiceTextPart(LaneKind.CONTENT, choice.content)


def answer_text(choice: Choice) -> str:
    text = answer_of(choice)[0].text
    return text if isinstance(text, str) else ""


def calls_of(choice: Choice) -> tuple[ToolCall | FunctionCall, ...]:
    legacy = (choice.function_call,) if choice.function_call is not None else ()
    return (*choice.tool_calls, *legacy)
