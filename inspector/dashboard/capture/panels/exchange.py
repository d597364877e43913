"""Panel with what surrounds the body: request, status, headers, identity, times and metadata."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inspector.dashboard.capture.exchange.envelope_example import envelope_example
from inspector.dashboard.capture.exchange.header_list import (
    HeaderList,
    header_list,
)
from inspector.dashboard.capture.exchange.known_headers import header_meaning
from inspector.dashboard.capture.exchange.metadata_list import MetadataList, metadata_list
from inspector.dashboard.capture.exchange.outcomes import OUTCOME_WORDS
from inspector.dashboard.capture.exchange.rate_limits import RateLimit, rate_limits_of
from inspector.dashboard.capture.exchange.stated_identity import StatedValue, stated_identity
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel import Panel, PanelContent
from inspector.dashboard.capture.page.removal import removed_from_headers
from inspector.dashboard.text.folded_text import FoldedText, TextFolder

MOST_ON_PAGE = 200_000
"""Characters of all values together."""


@dataclass(frozen=True, slots=True)
class RequestLine:
    """``method`` is empty, ``url`` None where they are not known."""

    method: str
    url: FoldedText | None


@dataclass(frozen=True, slots=True)
class IntakeTime:
    name: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ExchangeDisplay:
    status: int | None
    """None where it is not known."""
    headers: HeaderList
    rate_limits: tuple[RateLimit, ...]
    request_line: RequestLine | None
    """None where the request is not known."""
    request_headers: HeaderList
    identity: tuple[StatedValue, ...]
    outcome: str
    outcome_words: str
    started_at: datetime | None
    times: tuple[IntakeTime, ...]
    attempt: int
    metadata: MetadataList
    removed: str
    """Sentence about credentials removed from headers, URL and metadata."""
    envelope: str
    """Shown where something was not sent along; empty otherwise."""


def draw(view: CaptureView) -> PanelContent:
    headers = view.page.headers
    return PanelContent("none" if headers is None else f"{len(headers):,}", exchange_display(view))


def exchange_display(view: CaptureView) -> ExchangeDisplay:
    page, folder = view.page, TextFolder(MOST_ON_PAGE)
    return ExchangeDisplay(
        status=page.status_code,
        headers=header_list(page.headers, folder, header_meaning),
        rate_limits=rate_limits_of(page.headers or ()),
        request_line=request_line(view, folder),
        request_headers=header_list(view.request.headers if view.request else None, folder),
        identity=stated_identity(view, folder),
        outcome=str(page.outcome),
        outcome_words=OUTCOME_WORDS[page.outcome],
        started_at=page.started_at,
        times=intake_times(view) if view.stored else (),
        attempt=page.attempt,
        metadata=metadata_list(page.metadata, folder),
        removed=removed_from_headers(page.removal),
        envelope="" if is_all_known(view) else envelope_example(),
    )


def request_line(view: CaptureView, folder: TextFolder) -> RequestLine | None:
    request = view.request
    if request is None:
        return None
    url = None if request.url is None else folder.fold(request.url)
    return RequestLine((request.method or "")[:20], url)


def intake_times(view: CaptureView) -> tuple[IntakeTime, ...]:
    page = view.page
    again = (IntakeTime("analysed again", page.reinspected_at),) if page.reinspected_at else ()
    received = IntakeTime("received here", page.row.received_at)
    return (received, IntakeTime("analysed", page.inspected_at), *again)


def is_all_known(view: CaptureView) -> bool:
    page, request = view.page, view.request
    sent = (page.status_code, page.headers, page.started_at, request, request and request.headers)
    return all(value is not None for value in sent) and bool(page.metadata)


PANEL = Panel(position=65, slug="exchange", title="Exchange", draw=draw)
