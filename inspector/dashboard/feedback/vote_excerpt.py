"""The beginning of the choice that a vote is about."""

from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.dashboard.text.choice_texts import answer_of
from inspector.formatting.invisible_characters import TextSegment, prose_segments
from inspector.formatting.wire_values import NOT_SENT, finish_word

EXCERPT_CHARACTERS = 1_500
"""A screen of text: what a voter saw first. `more` counts the rest."""


@dataclass(frozen=True, slots=True)
class ChoiceExcerpt:
    """``text`` is empty if ``why_no_excerpt`` is set."""

    text: tuple[TextSegment, ...]
    more: int
    """Number of characters left out."""
    why_none: str
    finish: str


def excerpt_of_choice(analysis: Analysis | None, index: int) -> ChoiceExcerpt | None:
    """Return the excerpt; None if there is no analysis or no such choice."""
    choices = analysis.choices if analysis else ()
    choice = next((each for each in choices if each.index == index), None)
    return None if choice is None else build_excerpt(choice)


def build_excerpt(choice: Choice) -> ChoiceExcerpt:
    content = answer_of(choice)[0].text
    refusal = choice.refusal
    text = (
        content
        if isinstance(content, str) and content
        else refusal
        if isinstance(refusal, str)
        else ""
    )
    return ChoiceExcerpt(
        text=prose_segments(text[:EXCERPT_CHARACTERS]),
        more=max(0, len(text) - EXCERPT_CHARACTERS),
        why_none="" if text else why_no_excerpt(choice),
        finish=finish_word(choice.finish_reason),
    )


def why_no_excerpt(choice: Choice) -> str:
    calls = len(choice.tool_calls)
    if calls:
        return f"No text: {calls:,} tool call{'s' if calls > 1 else ''}."
    if choice.blocks:
        kinds = dict.fromkeys(block.kind.replace("-", " ") for block in choice.blocks)
        return f"No text: {', '.join(kinds)}."
    return f"No text: {NOT_SENT}."
