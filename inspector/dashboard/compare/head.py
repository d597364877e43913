"""The head of a side: which capture it is, how it ended, and what else could stand in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from inspector.core.completion import Choice
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.compare.named import Asked, Named, choice_of, previous_of
from inspector.dashboard.compare.side import Side
from inspector.dashboard.comparison import near
from inspector.dashboard.cuts import cuts_sentence
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.summary import Said, reason, worst_said
from inspector.dashboard.verdicts import UNFINISHED_STATES, Word, word_for

UNREAD = "It is not analysed, so it is not compared."


@dataclass(frozen=True, slots=True)
class Offer:
    """Another side in the place of this one; ``url`` is empty for those that are compared."""

    words: str
    url: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Head:
    """``first_url`` makes it the one that others are compared with; empty where it is."""

    side: Side
    verdict: Word
    sentence: tuple[Said, ...]
    notes: tuple[tuple[Segment, ...], ...]
    href: str
    first_url: str
    without_url: str
    offers: tuple[Offer, ...]
    is_unfinished: bool


def head_of(side: Side, asked: Asked) -> Head:
    page, analysis = side.page, side.analysis
    view = CaptureView(page=page, body=b"", analysis=analysis)
    return Head(
        side=side,
        verdict=word_for(page.row.state, analysis.verdict if analysis else None),
        sentence=(*reason(view), *worst_said(analysis.findings if analysis else ())),
        notes=tuple(notes(side)),
        href=href_of(side.named),
        first_url=asked.first(side.named) if side.position else "",
        without_url=asked.without(side.named),
        offers=tuple(offers(side, asked)),
        is_unfinished=page.row.state in UNFINISHED_STATES,
    )


def href_of(named: Named) -> str:
    anchor = "" if named.choice is None else f"#choice-{named.choice}"
    return reverse("dashboard:capture", args=[named.id]) + anchor


def notes(side: Side) -> Iterator[tuple[Segment, ...]]:
    if side.analysis is None:
        yield exact(UNREAD)
    elif side.named.is_previous:
        yield exact(f"Earlier analysis, version {side.analysis.analysis_version}.")
    if side.cuts:
        yield exact(cuts_sentence(side.cuts))


def offers(side: Side, asked: Asked) -> Iterator[Offer]:
    """The whole and its choices; the reading before, and that of now."""
    every = side.analysis.choices if side.analysis else ()
    if len(every) > 1:
        for choice in (None, *near_choices(side, every)):
            words = "all choices" if choice is None else str(choice)
            yield offer(side, asked, words, choice_of(side.named, choice))
    if side.page.previous is not None and not side.named.is_previous:
        yield offer(side, asked, "earlier analysis", previous_of(side.named))


def near_choices(side: Side, every: tuple[Choice, ...]) -> tuple[int, ...]:
    indexes = tuple(choice.index for choice in every if choice.index < 10**9)
    if not indexes:
        return ()
    chosen = side.named.choice
    return near(chosen if chosen in indexes else indexes[0], indexes)


def offer(side: Side, asked: Asked, words: str, other: Named) -> Offer:
    url = "" if other in asked.names else asked.instead(side.named, other)
    return Offer(words, url, other == side.named)
