"""What the choices say, word by word: reasoning, refusal, answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.archive.document import TEXT_CHARACTERS
from inspector.core.completion import Choice
from inspector.core.diff import MOST_PAIRS, WORD
from inspector.dashboard.compare.named import choice_of, compare_url
from inspector.dashboard.compare.section import Section
from inspector.dashboard.compare.side import Side
from inspector.dashboard.comparison import (
    FOLLOWING,
    MOST_CHARACTERS,
    ComparedPart,
    compared,
    texts_of,
)
from inspector.dashboard.templatetags.formats import plural

MOST_SHOWN = 400_000
"""Characters of all differing texts of one page."""
MOST_COMPARED = 3 * MOST_PAIRS
"""Pairs of words of one page: a second of a web thread, whatever the texts hold."""
MOST_CHOICES = 100
"""Of one side whose differences are shown."""
ANSWERS = frozenset({"answer", "refusal"})
CALLS = "tool calls"
"""They have a section of their own."""


class Room:
    """What of a page is left for differences."""

    def __init__(self) -> None:
        self.characters = MOST_SHOWN
        self.pairs = MOST_COMPARED

    def compared(self, name: str, old: str, new: str) -> ComparedPart:
        """The difference, or the sentence that there is no room for it."""
        if old == new:
            return compared(name, old, new)
        length = min(max(len(old), len(new)), MOST_CHARACTERS)
        pairs = min(words_in(old) * words_in(new), MOST_PAIRS)
        if length > self.characters or pairs > self.pairs:
            return ComparedPart(name, no_room(old, new))
        self.characters -= length
        self.pairs -= pairs
        return compared(name, old, new)


def words_in(text: str) -> int:
    """Of a text that is too long to be compared, of what is compared of it."""
    return len(WORD.findall(text[:FOLLOWING] if len(text) > MOST_CHARACTERS else text))


def no_room(old: str, new: str) -> str:
    lengths = f"{len(old):,} and {plural(len(new), 'character')}"
    return f"Not shown, {lengths}: the page has too many differences. Compare it alone."


@dataclass(frozen=True, slots=True)
class Matched:
    """A choice of the first side with one of another; one of both is None where it is alone."""

    before: Choice | None
    after: Choice | None

    @property
    def names(self) -> str:
        """``choice 1``, or both numbers where they are not the same."""
        indexes = [choice.index for choice in (self.before, self.after) if choice is not None]
        return f"choice {' and '.join(map(str, dict.fromkeys(indexes)))}"


@dataclass(frozen=True, slots=True)
class ComparedChoice:
    names: str
    """Empty where there is one on either side."""
    url: str
    """Where these two are compared by themselves."""
    parts: tuple[ComparedPart, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """Another side beside the first: ``sentence`` is about what is not drawn."""

    ordinal: str
    sentence: str
    choices: tuple[ComparedChoice, ...]


def texts(sides: tuple[Side, ...], room: Room) -> Section:
    first, *others = sides
    besides = tuple(beside(first, other, room) for other in others)
    differing = sum(len(each.choices) for each in besides)
    is_one = len(besides) == 1 and not differing
    return Section(
        slug="texts",
        title="Answer",
        sentence=besides[0].sentence if is_one else "",
        content=None if is_one else besides,
        count=f"{differing}" if differing else "same",
        clauses=tuple(clause(first, other) for other in others),
        form="texts",
    )


def matched(before: Side, after: Side) -> Iterator[Matched]:
    """By their index; where either side has one only, with the first of the other."""
    if len(before.choices) == 1 and len(after.choices) == 1:
        yield Matched(before.choices[0], after.choices[0])
        return
    olds = {choice.index: choice for choice in before.choices}
    news = {choice.index: choice for choice in after.choices}
    for index in dict.fromkeys((*olds, *news)):
        yield Matched(olds.get(index), news.get(index))


def beside(first: Side, other: Side, room: Room) -> Beside:
    pairs, limit = list(matched(first, other)), limit_of(first, other)
    differing = [pair for pair in pairs if parts_that_differ(pair, limit)]
    is_many = len(pairs) > 1
    return Beside(
        ordinal=other.ordinal,
        sentence=" ".join(sentences(pairs, differing, limit)),
        choices=tuple(
            ComparedChoice(
                names=pair.names if is_many else "",
                url=url_of(pair, first, other),
                parts=tuple(parts(pair, limit, room)),
            )
            for pair in differing[:MOST_CHOICES]
        ),
    )


def url_of(pair: Matched, first: Side, other: Side) -> str:
    """Empty where there is only one of two."""
    if pair.before is None or pair.after is None:
        return ""
    names = (first.named, pair.before.index), (other.named, pair.after.index)
    return compare_url(choice_of(name, index) for name, index in names)


def limit_of(first: Side, other: Side) -> int | None:
    """Where one reading is without the end of long texts, the other's are held to that length."""
    return TEXT_CHARACTERS if first.cuts or other.cuts else None


def said_of(choice: Choice | None, limit: int | None) -> dict[str, str]:
    """The texts of a choice by their names; of a choice that is not there all are empty."""
    found = texts_of(choice or Choice(index=0))
    return {name: text[:limit] for name, text in found if name != CALLS}


def parts_that_differ(pair: Matched, limit: int | None) -> list[str]:
    olds, news = said_of(pair.before, limit), said_of(pair.after, limit)
    return [name for name in olds if olds[name] != news[name]]


def parts(pair: Matched, limit: int | None, room: Room) -> Iterator[ComparedPart]:
    olds, news = said_of(pair.before, limit), said_of(pair.after, limit)
    for name in olds:
        if olds[name] or news[name]:
            yield room.compared(name, olds[name], news[name])


def sentences(pairs: list[Matched], differing: list[Matched], limit: int | None) -> Iterator[str]:
    same = len(pairs) - len(differing)
    if not pairs:
        yield "There is no choice on either side."
    elif len(pairs) == 1 and same:
        yield same_sentence(pairs[0], limit)
    elif same:
        yield f"The same in {same:,} of {len(pairs):,} choices."
    alone = sum(pair.before is None or pair.after is None for pair in differing)
    if alone:
        yield f"On one side only: {plural(alone, 'choice')}."
    if len(differing) > MOST_CHOICES:
        yield f"The first {MOST_CHOICES} that differ are shown."
    if limit is not None and any(is_cut(pair, limit) for pair in pairs):
        yield (
            f"Of each text the first {limit:,} characters are compared: the stored analysis of one "
            "side has no more."
        )


def same_sentence(pair: Matched, limit: int | None) -> str:
    told = [
        f"{name} of {plural(len(text), 'character')}"
        for name, text in said_of(pair.before, limit).items()
        if text
    ]
    return f"The same on both: {', '.join(told)}." if told else "No text on either side."


def is_cut(pair: Matched, limit: int) -> bool:
    every = (pair.before, pair.after)
    return any(len(text) >= limit for choice in every for text in said_of(choice, None).values())


# -- for the headline ------------------------------------------------------------------------------


def clause(first: Side, other: Side) -> str:
    """``same answer``: of all choices, and of what stands in place of an answer."""
    pairs, limit = list(matched(first, other)), limit_of(first, other)
    if not pairs:
        return "no choices"
    names = [set(parts_that_differ(pair, limit)) for pair in pairs]
    differing = sum(1 for found in names if found & ANSWERS)
    if differing and len(pairs) == 1:
        return "different answer"
    if differing:
        return f"different answers in {differing:,} of {len(pairs):,} choices"
    return f"{same_clause(pairs, any(names))}{as_far_as(pairs, limit)}"


def same_clause(pairs: list[Matched], is_after_other: bool) -> str:
    """No answer differs; there may be none, and the reasoning before it may."""
    said = [said_of(pair.before, None) for pair in pairs]
    if any(text for each in said for name, text in each.items() if name in ANSWERS):
        word = "same answer" if len(pairs) == 1 else "same answers"
        return f"{word} after different reasoning" if is_after_other else word
    if is_after_other:
        return "different reasoning, no answer text"
    has_reasoning = any(each["reasoning"] for each in said)
    return "same reasoning, no answer text" if has_reasoning else "no answer text"


def as_far_as(pairs: list[Matched], limit: int | None) -> str:
    if limit is None or not any(is_cut(pair, limit) for pair in pairs):
        return ""
    return f" in the first {limit:,} characters"
