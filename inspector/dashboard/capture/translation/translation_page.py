"""The answer of a capture in the form of another format, as its page shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from inspector.core import formats
from inspector.core.analysis import Analysis
from inspector.core.translation import Loss, LossKind, targets, translate
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MAX_CHARACTERS = 400_000
"""Characters of a translation on its page; the API and the command give all."""
MAX_LOSSES = 500
NOT_READ = "No choices were read from these bytes: there is nothing to translate."
NOT_INSPECTED = "The capture is not inspected yet."


@dataclass(frozen=True, slots=True)
class FormatLink:
    """A format that an answer can be shown as."""

    slug: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class LossDisplay:
    """One loss; ``url`` leads to its place in the JSON tree, "" where that is of events."""

    loss: Loss
    url: str

    @property
    def kind(self) -> LossKind:
        return self.loss.code.kind


@dataclass(frozen=True, slots=True)
class TranslationDisplay:
    noun: str
    is_same: bool
    """True if the answer is of this format already."""
    losses: tuple[LossDisplay, ...]
    losses_beyond: int
    text: tuple[TextSegment, ...]
    characters_beyond: int


def format_links(capture_id: UUID, analysis: Analysis | None) -> tuple[FormatLink, ...]:
    """The formats that an answer can be shown as, but for its own; none if it has no choices."""
    if analysis is None or not analysis.choices:
        return ()
    known = formats.dialects()
    found = known.get(analysis.dialect or "")
    own = {dialect.slug for dialect in formats.base_chain(found)} if found else set()
    address = reverse("dashboard:translation", args=[capture_id])
    return tuple(
        FormatLink(slug, known[slug].title, f"{address}?{urlencode({'as': slug})}")
        for slug in sorted(targets())
        if slug not in own
    )


def view_links(view: CaptureView) -> tuple[FormatLink, ...]:
    return format_links(view.id, view.analysis) if view.is_stored else ()


def translation_display(
    capture_id: UUID, analysis: Analysis, slug: str
) -> TranslationDisplay | None:
    """Returns None if there is nothing to translate."""
    target = targets()[slug]
    found = translate(analysis, target)
    if found is None:
        return None
    text = json.dumps(found.value, ensure_ascii=False, indent=2, default=str)
    losses = tuple(_losses(found.losses[:MAX_LOSSES], capture_id, analysis))
    return TranslationDisplay(
        noun=target.noun,
        is_same=found.value is analysis.completion,
        losses=losses,
        losses_beyond=len(found.losses) - len(losses),
        text=exact_segments(text[:MAX_CHARACTERS]),
        characters_beyond=max(0, len(text) - MAX_CHARACTERS),
    )


def _losses(
    losses: tuple[Loss, ...], capture_id: UUID, analysis: Analysis
) -> Iterator[LossDisplay]:
    page = reverse("dashboard:capture", args=[capture_id])
    for loss in losses:
        # The tree of a stream is that of one event, in which the completion's places do not stand.
        query = urlencode({"raw": "tree", "at": loss.pointer}, errors="replace")
        yield LossDisplay(loss, "" if analysis.streamed else f"{page}?{query}#raw")
