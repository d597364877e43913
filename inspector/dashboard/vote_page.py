"""What a vote is about: the beginning of the choice that it was cast on."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.dashboard.answers import answer_of
from inspector.dashboard.marks import Segment, prose
from inspector.dashboard.wire import NOT_SENT, finish_word

CHARACTERS = 1_500


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``text`` is empty where ``why_none`` says why."""

    text: tuple[Segment, ...]
    more: int
    """Characters that are not shown."""
    why_none: str
    finish: str


def excerpt_of(analysis: Analysis | None, index: int) -> Excerpt | None:
    """None where the choice is not there, or nothing was read."""
    choices = analysis.choices if analysis else ()
    choice = next((each for each in choices if each.index == index), None)
    return None if choice is None else excerpt(choice)


def excerpt(choice: Choice) -> Excerpt:
    said = answer_of(choice)[0].text
    refusal = choice.refusal
    text = said if isinstance(said, str) and said else refusal if isinstance(refusal, str) else ""
    return Excerpt(
        text=prose(text[:CHARACTERS]),
        more=max(0, len(text) - CHARACTERS),
        why_none="" if text else why_none(choice),
        finish=finish_word(choice.finish_reason),
    )


def why_none(choice: Choice) -> str:
    calls = len(choice.tool_calls)
    if calls:
        return f"No text: {calls:,} tool call{'s' if calls > 1 else ''}."
    return f"No text: {NOT_SENT}."
