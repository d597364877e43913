"""Splits an answer's text into runs: shared prefix, divergence, footnote markers, folded parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.dashboard.capture.page.lane_position import LanePosition
from inspector.dashboard.capture.page.provenance import ArrivalSpan
from inspector.formatting.invisible_characters import TextSegment, prose_segments
from inspector.formatting.wire_values import wire_word

LONG = 4_000
"""Folding is worth a click only where it hides as much as is shown."""
SHOWN_OF_LONG = 2_000
MAX_FOLDED_CHARACTERS = 60_000
"""Characters of folded text included in the page; the rest is only in the download."""
PEEK = 120
"""A line of what is folded."""


@dataclass(frozen=True, slots=True)
class PassageRun:
    """A run of text, or a marker between two runs (``fork``, ``note``)."""

    text: tuple[TextSegment, ...] = ()
    kind: str = ""
    """``same`` for text shared with another choice, ``fork``, ``note``, or "" for plain text."""
    to: str = ""
    """Id of the footnote a marker links to."""


@dataclass(frozen=True, slots=True)
class FootnoteMark:
    """A range that a footnote refers to; without a label the range itself becomes the link."""

    start: int
    end: int
    to: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A text in three parts: visible, folded, and left out of the page."""

    kind: str
    length: int
    absent: str = ""
    """"empty string", "null" or "not sent" if there is no text."""
    visible_runs: tuple[PassageRun, ...] = ()
    folded: tuple[PassageRun, ...] = ()
    folded_length: int = 0
    rest_length: int = 0
    span: ArrivalSpan | None = None
    peek: str = ""
    place: LanePosition | None = None
    part: str = ""
    """Name of the text in the URL of its download."""


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """Number of leading characters shared with another choice, and whether that one continues."""

    length: int
    forks: bool


def text_passage(
    kind: str,
    text: object,
    span: ArrivalSpan | None = None,
    shared: SharedPrefix | None = None,
    marks: Sequence[FootnoteMark] = (),
    most_folded: int = MAX_FOLDED_CHARACTERS,
    place: LanePosition | None = None,
    part: str = "",
) -> TextPassage:
    if not isinstance(text, str) or not text:
        return TextPassage(kind, 0, absent=wire_word(text))
    cut = SHOWN_OF_LONG if len(text) > LONG else len(text)
    end = min(len(text), cut + most_folded)
    return TextPassage(
        kind,
        length=len(text),
        visible_runs=tuple(passage_runs(text, 0, cut, shared, marks)),
        folded=tuple(passage_runs(text, cut, end, shared, marks)),
        folded_length=end - cut,
        rest_length=len(text) - end,
        span=span,
        peek=" ".join(text[: PEEK * 2].split())[:PEEK],
        place=place,
        part=part or kind,
    )


def passage_runs(
    text: str, start: int, end: int, shared: SharedPrefix | None, marks: Sequence[FootnoteMark]
) -> Iterator[PassageRun]:
    """Split the characters from ``start`` to ``end`` at the markers between them."""
    fork = shared.length if shared else 0
    edges = {start, fork, end}.union(*((mark.start, mark.end) for mark in marks))
    places = sorted(edge for edge in edges if start <= edge <= end)
    for at, following in zip(places, [*places[1:], end], strict=True):
        if at > start:
            for mark in marks:
                if mark.end == at and mark.label:
                    yield PassageRun((TextSegment(mark.label),), "note", mark.to)
        if shared and shared.forks and at == fork and fork < end:
            yield PassageRun(kind="fork")
        if following > at:
            kind = "same" if following <= fork else ""
            yield PassageRun(
                prose_segments(text[at:following]), kind, footnote_href(marks, at, following)
            )


def footnote_href(marks: Sequence[FootnoteMark], start: int, end: int) -> str:
    around = (mark for mark in marks if not mark.label and mark.start <= start and end <= mark.end)
    return next((mark.to for mark in around), "")
