"""Compares the texts of the choices word by word, and what the provider ran."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.archive.readouts import TEXT_CHARACTERS
from inspector.core.completion import Choice
from inspector.core.text.text_diff import MAX_PAIRS, WORD
from inspector.dashboard.compare.section import (
    ComparisonSection,
    SideColumn,
    column_heads,
    count_words,
)
from inspector.dashboard.compare.side import Sides
from inspector.dashboard.compare_links import SIDES, choice_ref, compare_url
from inspector.dashboard.text.choice_diff import (
    FOLLOWING,
    MAX_CHARACTERS,
    ChoiceDiffPart,
    diff_choice_text,
    texts_of,
)
from inspector.formatting.humanize import plural

MAX_SHOWN = 400_000
"""Characters of all texts that differ: as many as a page has of a prompt (`prompt.panel`)."""
MAX_COMPARED = 3 * MAX_PAIRS
"""Word pairs compared per page, about a second of CPU time for any input."""
MAX_CHOICES = 100
"""Choices per side whose differences are shown."""
ANSWERS = frozenset({"answer", "refusal"})
REASONING = "reasoning"
CALLS = "tool calls"
"""Compared in a section of their own."""


class DiffBudget:
    """Remaining budget of the page for diffs."""

    def __init__(self) -> None:
        self.characters = MAX_SHOWN
        self.pairs = MAX_COMPARED

    def compare(self, name: str, old: str, new: str) -> ChoiceDiffPart:
        """Return the diff, or a sentence that the budget is used up."""
        if old == new:
            return diff_choice_text(name, old, new)
        length = min(max(len(old), len(new)), MAX_CHARACTERS)
        pairs = min(words_in(old) * words_in(new), MAX_PAIRS)
        if length > self.characters or pairs > self.pairs:
            return ChoiceDiffPart(name, too_large_to_diff(old, new))
        self.characters -= length
        self.pairs -= pairs
        return diff_choice_text(name, old, new)


def words_in(text: str) -> int:
    """Return the number of words compared; of a text over the limit, of its excerpt."""
    return len(WORD.findall(text[:FOLLOWING] if len(text) > MAX_CHARACTERS else text))


def too_large_to_diff(old: str, new: str) -> str:
    lengths = f"{len(old):,} and {plural(len(new), 'character')}"
    return f"Not shown, {lengths}: the page has too many differences. Compare it alone."


@dataclass(frozen=True, slots=True)
class MatchedChoices:
    """A choice of the first side with its counterpart; one of both is None if unmatched."""

    before: Choice | None
    after: Choice | None

    @property
    def names(self) -> str:
        """``choice 1``, or both indexes if they differ."""
        indexes = [choice.index for choice in (self.before, self.after) if choice is not None]
        return f"choice {' and '.join(map(str, dict.fromkeys(indexes)))}"


@dataclass(frozen=True, slots=True)
class ComparedChoice:
    names: str
    """Empty if each side has one choice."""
    url: str
    """URL that compares only these two."""
    missing: str
    """The name of the choice if one side has none such."""
    parts: tuple[ChoiceDiffPart, ...]


@dataclass(frozen=True, slots=True)
class TextsComparison:
    """``sentence`` covers what is not drawn."""

    heads: tuple[SideColumn, ...]
    sentence: str
    choices: tuple[ComparedChoice, ...]

    @property
    def is_marked(self) -> bool:
        return any(part.is_alike for choice in self.choices for part in choice.parts)


def compare_texts(sides: Sides, room: DiffBudget) -> ComparisonSection:
    pairs = list(match_choices(sides))
    # Where one analysis truncates texts, those of both are cut before they are compared.
    limit = TEXT_CHARACTERS if any(side.cuts for side in sides) else None
    differing = [pair for pair in pairs if parts_that_differ(pair, limit)]
    sentence = " ".join(text_sentences(pairs, differing, limit))
    choices = tuple(
        ComparedChoice(
            names=pair.names if len(pairs) > 1 else "",
            url=choices_url(pair, sides),
            missing="" if pair.before and pair.after else pair.names,
            parts=tuple(diff_choice_parts(pair, limit, room)),
        )
        for pair in differing[:MAX_CHOICES]
    )
    return ComparisonSection(
        slug="texts",
        title="Answer",
        sentence="" if choices else sentence,
        content=TextsComparison(column_heads(sides), sentence, choices) if choices else None,
        count=count_words(len(choices)),
        clause=answer_clause(pairs, limit),
        form="texts",
    )


def match_choices(sides: Sides) -> Iterator[MatchedChoices]:
    """Match choices by index; a side with a single choice matches the first of the other."""
    before, after = (side.choices for side in sides)
    if len(before) == 1 and len(after) == 1:
        yield MatchedChoices(before[0], after[0])
        return
    olds = {choice.index: choice for choice in before}
    news = {choice.index: choice for choice in after}
    for index in dict.fromkeys((*olds, *news)):
        yield MatchedChoices(olds.get(index), news.get(index))


def choices_url(pair: MatchedChoices, sides: Sides) -> str:
    """URL that compares the two; empty if one is unmatched."""
    found = zip(sides, (pair.before, pair.after), strict=True)
    names = [choice_ref(side.named, choice.index) for side, choice in found if choice is not None]
    return compare_url(names) if len(names) == SIDES else ""


def texts_of_choice(choice: Choice | None, limit: int | None) -> dict[str, str]:
    """Texts of a choice by name; all empty for None."""
    found = texts_of(choice or Choice(index=0))
    return {name: text[:limit] for name, text in found if name != CALLS}


def parts_that_differ(pair: MatchedChoices, limit: int | None) -> list[str]:
    olds, news = texts_of_choice(pair.before, limit), texts_of_choice(pair.after, limit)
    return [name for name in olds if olds[name] != news[name]]


def diff_choice_parts(
    pair: MatchedChoices, limit: int | None, room: DiffBudget
) -> Iterator[ChoiceDiffPart]:
    olds, news = texts_of_choice(pair.before, limit), texts_of_choice(pair.after, limit)
    for name in olds:
        if olds[name] or news[name]:
            yield room.compare(name, olds[name], news[name])


def text_sentences(
    pairs: list[MatchedChoices], differing: list[MatchedChoices], limit: int | None
) -> Iterator[str]:
    same = len(pairs) - len(differing)
    if not pairs:
        yield "There is no choice on either side."
    elif len(pairs) == 1 and same:
        yield same_sentence(pairs[0], limit)
    elif same:
        yield f"The same in {same:,} of {len(pairs):,} choices."
    if len(differing) > MAX_CHOICES:
        yield f"The first {MAX_CHOICES} that differ are shown."
    if limit is not None and any(is_cut(pair, limit) for pair in pairs):
        yield (
            f"Of each text the first {limit:,} characters are compared: the stored analysis of one "
            "side has no more."
        )


def same_sentence(pair: MatchedChoices, limit: int | None) -> str:
    parts = [
        f"{name} of {plural(len(text), 'character')}"
        for name, text in texts_of_choice(pair.before, limit).items()
        if text
    ]
    return f"The same on both: {', '.join(parts)}." if parts else "No text on either side."


def is_cut(pair: MatchedChoices, limit: int) -> bool:
    every = (pair.before, pair.after)
    return any(
        len(text) >= limit for choice in every for text in texts_of_choice(choice, None).values()
    )


# -- for the headline ------------------------------------------------------------------------------


def answer_clause(pairs: list[MatchedChoices], limit: int | None) -> str:
    """Return ``same answer`` if the answers and refusals of all choices agree."""
    if not pairs:
        return "no choices"
    names = [set(parts_that_differ(pair, limit)) for pair in pairs]
    differing = sum(1 for found in names if found & ANSWERS)
    if differing and len(pairs) == 1:
        return (limit is None and continuation_clause(pairs[0])) or "different answer"
    if differing:
        return f"different answers in {differing:,} of {len(pairs):,} choices"
    is_after_other = any(REASONING in found for found in names)
    return f"{same_answers_clause(pairs, is_after_other)}{as_far_as(pairs, limit)}"


def continuation_clause(pair: MatchedChoices) -> str:
    """Say that one answer goes on where the other ends; "" if neither does."""
    old, new = ("".join(answers_of(choice)) for choice in (pair.before, pair.after))
    if not old or not new or old == new:
        return ""
    if new.startswith(old):
        return f"B goes on where A ends, for {plural(len(new) - len(old), 'character')}"
    ends = f"A goes on where B ends, for {plural(len(old) - len(new), 'character')}"
    return ends if old.startswith(new) else ""


def answers_of(choice: Choice | None) -> Iterator[str]:
    return (text for name, text in texts_of_choice(choice, None).items() if name in ANSWERS)


def same_answers_clause(pairs: list[MatchedChoices], is_after_other: bool) -> str:
    """Clause for choices whose answers agree, though reasoning may differ or all be empty."""
    texts = [texts_of_choice(pair.before, None) for pair in pairs]
    if any(text for each in texts for name, text in each.items() if name in ANSWERS):
        word = "same answer" if len(pairs) == 1 else "same answers"
        return f"{word} after different reasoning" if is_after_other else word
    if is_after_other:
        return "different reasoning, no answer text"
    has_reasoning = any(each[REASONING] for each in texts)
    return "same reasoning, no answer text" if has_reasoning else "no answer text"


def as_far_as(pairs: list[MatchedChoices], limit: int | None) -> str:
    if limit is None or not any(is_cut(pair, limit) for pair in pairs):
        return ""
    return f" in the first {limit:,} characters"
