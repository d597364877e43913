"""Column head of a side: its capture, its result, and links to replace it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.core.vendors import vendor_named
from inspector.dashboard.capture.head.headline import Headline, headline
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.compare.section import model_words
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare_links import (
    CompareRequest,
    SideRef,
    choice_ref,
    previous_reading_ref,
)
from inspector.dashboard.text.choice_diff import nearby_choices
from inspector.dashboard.text.truncation import truncation_sentence
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.redaction_mark import redaction_sentence
from inspector.formatting.verdicts import UNFINISHED_STATES

UNREAD_SENTENCE = "It is not analysed, so it is not compared."


@dataclass(frozen=True, slots=True)
class SideOption:
    """A link that replaces the side; ``url`` is empty for sides already compared."""

    words: str
    url: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class SideHead:
    side: ComparedSide
    model: tuple[TextSegment, ...]
    """Empty if none is known."""
    vendor: str
    """Vendor and dialect, as far as they are known."""
    headline: Headline
    notes: tuple[tuple[TextSegment, ...], ...]
    href: str
    without_url: str
    offers: tuple[SideOption, ...]
    is_unfinished: bool


def side_head(side: ComparedSide, request: CompareRequest) -> SideHead:
    facts, analysis = side.facts, side.analysis
    view = CaptureView(facts=facts, body=b"", analysis=analysis, cuts=side.cuts)
    return SideHead(
        side=side,
        model=model_words(side.model),
        vendor=vendor_words(analysis),
        headline=headline(view),
        notes=tuple(side_notes(side)),
        href=side_href(side.named),
        without_url=request.without(side.named),
        offers=tuple(side_options(side, request)),
        is_unfinished=facts.row.state in UNFINISHED_STATES,
    )


def vendor_words(analysis: Analysis | None) -> str:
    found = vendor_named(analysis.vendor) if analysis else None
    named = (found.title if found else None, analysis.dialect if analysis else None)
    return ", ".join(filter(None, named))


def side_href(named: SideRef) -> str:
    anchor = "" if named.choice is None else f"#choice-{named.choice}"
    return reverse("dashboard:capture", args=[named.id]) + anchor


def side_notes(side: ComparedSide) -> Iterator[tuple[TextSegment, ...]]:
    if side.analysis is None:
        yield exact_segments(UNREAD_SENTENCE)
    elif side.named.is_previous:
        yield exact_segments(f"Earlier analysis, version {side.analysis.analysis_version}.")
    if side.cuts:
        yield exact_segments(truncation_sentence(side.cuts))
    if redacted := redaction_sentence(side.facts.redaction):
        yield exact_segments(redacted)


def side_options(side: ComparedSide, request: CompareRequest) -> Iterator[SideOption]:
    """Yield the capture as a whole, its choices, and its current and previous analysis."""
    every = side.analysis.choices if side.analysis else ()
    if len(every) > 1:
        for choice in (None, *near_choices(side, every)):
            words = "all choices" if choice is None else str(choice)
            yield side_option(side, request, words, choice_ref(side.named, choice))
    if side.facts.previous is not None and not side.named.is_previous:
        yield side_option(side, request, "earlier analysis", previous_reading_ref(side.named))


def near_choices(side: ComparedSide, every: tuple[Choice, ...]) -> tuple[int, ...]:
    indexes = tuple(choice.index for choice in every if choice.index < 10**9)
    if not indexes:
        return ()
    chosen = side.named.choice
    return nearby_choices(chosen if chosen in indexes else indexes[0], indexes)


def side_option(
    side: ComparedSide, request: CompareRequest, words: str, other: SideRef
) -> SideOption:
    url = "" if other in request.names else request.instead(side.named, other)
    return SideOption(words, url, other == side.named)
