"""Panel with what surrounds the body: request, status, headers, identity, times and metadata."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from inspector.core.answer.transport_words import fault_words
from inspector.core.wire.browser_headers import speaks_for_others
from inspector.core.wire.exchange import MeasuredBy, TransportOutcome
from inspector.dashboard.capture.exchange.correlation import CorrelationRow, correlation_rows
from inspector.dashboard.capture.exchange.known_headers import header_meaning
from inspector.dashboard.capture.exchange.rate_limits import RateLimit, rate_limits_of
from inspector.dashboard.capture.exchange.stated_identity import (
    NOT_KNOWN,
    StatedValue,
    stated_identity,
)
from inspector.dashboard.capture.exchange.value_lists import (
    HeaderList,
    MetadataList,
    header_list,
    metadata_list,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.removal import removed_from_headers
from inspector.formatting.wire_values import NOT_SENT

OUTCOME_WORDS: Mapping[TransportOutcome, str] = {
    TransportOutcome.OPEN: "Still open: the response was being received.",
    TransportOutcome.ENDED: "No interruption was reported.",
    TransportOutcome.CAPPED: "The recorder stopped at its size limit.",
    TransportOutcome.CLIENT_CANCELLED: "The client closed the connection.",
    TransportOutcome.UPSTREAM_ERROR: "The connection to the provider failed.",
    TransportOutcome.UPSTREAM_TIMEOUT: "The provider sent nothing for too long; the recorder closed"
    " the connection.",
    TransportOutcome.RECORDER_STOPPED: "The recording stopped before the response ended, or before"
    " its end was seen.",
}
ENDED_AT_PROXY = "The provider ended the response."

ENVELOPE = {
    "response": {
        "status": 200,
        "headers": [["content-type", "application/json"], ["x-request-id", "req_…"]],
        "body": "{…}",
    },
    "request": {"method": "POST", "url": "https://…", "headers": [], "body": "{…}"},
    "started_at": "2026-11-20T14:02:19.5Z",
    "metadata": {"release": "2026.11"},
}


def envelope_example() -> str:
    return json.dumps(ENVELOPE, ensure_ascii=False, indent=2)


MAX_ON_PAGE = 200_000
"""Characters of all values together: each may be as long as its server takes."""


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
    upstream: str
    """The team's name of what the proxy called; empty where it called nothing."""
    identity: tuple[StatedValue, ...]
    outcome: str
    """Empty where the end is taken for normal because nothing else was reported."""
    outcome_words: str
    fault: str
    """Code of what kept the proxy from carrying the call to its end; empty if nothing did."""
    fault_words: str
    part_kept: tuple[str, ...]
    """Sentences about bodies of which only the beginning was kept."""
    started_at: datetime | None
    is_start_counted: bool
    is_start_measured: bool
    """The proxy says when the request began, and not the sender."""
    times: tuple[IntakeTime, ...]
    attempt: int
    correlation: tuple[CorrelationRow, ...]
    metadata: MetadataList
    removed: str
    """Sentence about credentials removed from headers, URL and metadata."""
    envelope: str
    """Shown where something was not sent along; empty otherwise."""

    @property
    def is_read_first(self) -> bool:
        """True where status, headers or transport are what went wrong."""
        is_failure = self.status is not None and self.status >= HTTPStatus.BAD_REQUEST
        return is_failure or bool(self.fault) or self.outcome not in ("", TransportOutcome.ENDED)

    @property
    def stated(self) -> tuple[StatedValue, ...]:
        return tuple(each for each in self.identity if not each.absence)

    @property
    def absent(self) -> Iterator[tuple[str, list[str]]]:
        """Names of what was not sent, by the word that says so."""
        for word in (NOT_SENT, NOT_KNOWN):
            names = [each.name for each in self.identity if each.absence == word]
            if names:
                yield word, names


def draw(view: CaptureView) -> PanelBody:
    headers = view.facts.headers
    return PanelBody("" if headers is None else f"{len(headers):,}", exchange_display(view))


def exchange_display(view: CaptureView) -> ExchangeDisplay:
    facts, folder = view.facts, TextFolder(MAX_ON_PAGE)
    is_by_proxy = facts.measured_by is MeasuredBy.PROXY
    is_ended = facts.outcome is TransportOutcome.ENDED
    return ExchangeDisplay(
        status=facts.status_code,
        headers=header_list(
            facts.headers, folder, meaning_at_proxy if is_by_proxy else header_meaning
        ),
        rate_limits=rate_limits_of(facts.headers or ()),
        request_line=request_line(view, folder),
        request_headers=header_list(view.request.headers if view.request else None, folder),
        upstream=facts.upstream or "",
        identity=stated_identity(view, folder),
        outcome=str(facts.outcome) if is_by_proxy or not is_ended else "",
        outcome_words=ENDED_AT_PROXY if is_by_proxy and is_ended else OUTCOME_WORDS[facts.outcome],
        fault=str(facts.fault or ""),
        fault_words=f"{fault_words(facts.fault, facts.status_code)}." if facts.fault else "",
        part_kept=tuple(part_kept(view)),
        started_at=facts.started_at,
        is_start_counted=facts.started_at == facts.row.called_at,
        is_start_measured=is_by_proxy,
        times=intake_times(view) if view.is_stored else (),
        attempt=facts.attempt,
        correlation=correlation_rows(view),
        metadata=metadata_list(facts.metadata, folder),
        removed=removed_from_headers(facts.removal),
        envelope="" if is_by_proxy or is_all_there(view) else envelope_example(),
    )


def meaning_at_proxy(name: str, value: str) -> str:
    """As ``header_meaning``, and what the proxy keeps to itself."""
    withheld = ("not passed on",) if speaks_for_others(name, value) else ()
    return "; ".join(filter(None, (header_meaning(name, value), *withheld)))


def part_kept(view: CaptureView) -> Iterator[str]:
    facts, request = view.facts, view.request
    if facts.total_bytes is not None:
        forwarded = "; all were forwarded"
        yield kept_words("response", facts.row.byte_length, facts.total_bytes, forwarded)
    if request is not None and request.total_bytes is not None:
        yield kept_words("request", len(request.body or b""), request.total_bytes)


def kept_words(what: str, kept: int, total: int, forwarded: str = "") -> str:
    return f"Of the {what}’s {total:,} bytes the first {kept:,} were kept{forwarded}."


def request_line(view: CaptureView, folder: TextFolder) -> RequestLine | None:
    request = view.request
    if request is None:
        return None
    url = None if request.url is None else folder.fold(request.url)
    return RequestLine((request.method or "")[:20], url)


def intake_times(view: CaptureView) -> tuple[IntakeTime, ...]:
    facts = view.facts
    again = (IntakeTime("analysed again", facts.reinspected_at),) if facts.reinspected_at else ()
    received = IntakeTime("received here", facts.row.received_at)
    # What was posted ends when it is received.
    ends_later = facts.is_recording or facts.finished_at not in (None, facts.row.received_at)
    ended = (IntakeTime("recorded to its end", facts.finished_at),) if ends_later else ()
    return (received, *ended, IntakeTime("analysed", facts.inspected_at), *again)


def is_all_there(view: CaptureView) -> bool:
    """Nothing was left out when it was sent, or nobody can tell any more."""
    facts, request = view.facts, view.request
    if facts.row.body_deleted_at is not None:
        return True
    sent = (
        facts.status_code,
        facts.headers,
        facts.started_at,
        request,
        request and request.headers,
    )
    return all(value is not None for value in sent) and bool(facts.metadata)


PANEL = Panel(position=65, slug="exchange", title="Exchange", draw=draw)
