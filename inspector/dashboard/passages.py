"""A text to read: what other choices share of it, where they part, what its footnotes mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.dashboard.lane_place import LanePlace
from inspector.dashboard.marks import Segment, prose
from inspector.dashboard.provenance import Span
from inspector.dashboard.wire import wire_word

LONG = 4_000
SHOWN_OF_LONG = 2_000
MOST_FOLDED = 60_000
"""Characters that are folded on the page; what a text has beyond them stands in a file."""
PEEK = 120


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a text, or (``fork``, ``note``) what stands between two of them."""

    text: tuple[Segment, ...] = ()
    kind: str = ""
    """``same`` as in another choice, ``fork``, ``note``; "" as it is."""
    to: str = ""
    """The id of a footnote that it leads to."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text that a footnote speaks of; without a label the place itself is the link."""

    start: int
    end: int
    to: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text: what is shown, then what is folded away, then what is not on the page."""

    kind: str
    length: int
    absent: str = ""
    """"empty string", "null" or "not sent" where there is no text."""
    shown: tuple[Run, ...] = ()
    folded: tuple[Run, ...] = ()
    folded_length: int = 0
    rest_length: int = 0
    span: Span | None = None
    peek: str = ""
    place: LanePlace | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """How many characters another choice begins with, and whether it goes on differently."""

    length: int
    forks: bool


def passage(
    kind: str,
    text: object,
    span: Span | None = None,
    shared: Shared | None = None,
    marks: Sequence[Mark] = (),
    most_folded: int = MOST_FOLDED,
    place: LanePlace | None = None,
) -> Passage:
    if not isinstance(text, str) or not text:
        return Passage(kind, 0, absent=wire_word(text))
    cut = SHOWN_OF_LONG if len(text) > LONG else len(text)
    end = min(len(text), cut + most_folded)
    return Passage(
        kind,
        length=len(text),
        shown=tuple(runs_of(text, 0, cut, shared, marks)),
        folded=tuple(runs_of(text, cut, end, shared, marks)),
        folded_length=end - cut,
        rest_length=len(text) - end,
        span=span,
        peek=" ".join(text[: PEEK * 2].split())[:PEEK],
        place=place,
    )


def runs_of(
    text: str, start: int, end: int, shared: Shared | None, marks: Sequence[Mark]
) -> Iterator[Run]:
    """The characters from ``start`` to ``end``, with what stands between them."""
    fork = shared.length if shared else 0
    edges = {start, fork, end}.union(*((mark.start, mark.end) for mark in marks))
    places = sorted(edge for edge in edges if start <= edge <= end)
    for at, following in zip(places, [*places[1:], end], strict=True):
        if at > start:
            yield from (label(mark) for mark in marks if mark.end == at and mark.label)
        if shared and shared.forks and at == fork and fork < end:
            yield Run(kind="fork")
        if following > at:
            kind = "same" if following <= fork else ""
            yield Run(prose(text[at:following]), kind, leads_to(marks, at, following))


def label(mark: Mark) -> Run:
    return Run((Segment(mark.label),), "note", mark.to)


def leads_to(marks: Sequence[Mark], start: int, end: int) -> str:
    around = (mark for mark in marks if not mark.label and mark.start <= start and end <= mark.end)
    return next((mark.to for mark in around), "")
