"""Sides beside each other: one headline, and a section for each thing that can differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.dashboard.compare.about import about
from inspector.dashboard.compare.calls import calls
from inspector.dashboard.compare.counts import checks, ledgers_of, usage
from inspector.dashboard.compare.fields import fields, keys
from inspector.dashboard.compare.found import findings
from inspector.dashboard.compare.section import Section
from inspector.dashboard.compare.side import Side
from inspector.dashboard.compare.texts import Room, texts
from inspector.dashboard.compare.timing import timing

OF_A_WHOLE = "Choices of one capture share usage, checks, times and findings."


@dataclass(frozen=True, slots=True)
class Headline:
    """What one side says differently from the first: the answer, then the rest."""

    ordinal: str
    answer: str
    rest: str


@dataclass(frozen=True, slots=True)
class Compared:
    headlines: tuple[Headline, ...]
    note: str
    sections: tuple[Section, ...]


def compared(sides: tuple[Side, ...]) -> Compared:
    """``sides`` were all read, and there are at least two."""
    sections = tuple(sections_of(sides))
    return Compared(
        headlines=tuple(headline(at, side, sections) for at, side in enumerate(sides[1:])),
        note=OF_A_WHOLE if is_of_one(sides) else "",
        sections=sections,
    )


def is_of_one(sides: tuple[Side, ...]) -> bool:
    """All are choices of one reading."""
    return len({(side.named.id, side.named.is_previous) for side in sides}) == 1


def sections_of(sides: tuple[Side, ...]) -> Iterator[Section]:
    room = Room()
    answers = texts(sides, room)
    called = calls(sides, room)
    yield answers
    if called is not None:
        yield called
    if not is_of_one(sides):
        ledgers = ledgers_of(sides)
        yield usage(sides, ledgers)
        checked = checks(sides, ledgers)
        if checked is not None:
            yield checked
    yield timing(sides)
    if not is_of_one(sides):
        yield findings(sides)
    yield about(sides)
    yield fields(sides)
    yield keys(sides)


def headline(at: int, side: Side, sections: tuple[Section, ...]) -> Headline:
    answer = next(each.clauses[at] for each in sections if each.slug == "texts")
    # Which of the two was streamed, or read by which version, is said before what differs.
    ordered = sorted(sections, key=lambda each: each.slug != "about")
    rest = [each.clauses[at] for each in ordered if each.slug != "texts" and each.clauses]
    told = "; ".join(filter(None, rest)) or nothing_else(sections)
    return Headline(side.ordinal, as_sentence(answer), as_sentence(told))


def nothing_else(sections: tuple[Section, ...]) -> str:
    if all(each.is_known for each in sections):
        return "nothing else differs"
    return "nothing else differs in the stored analyses"


def as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
