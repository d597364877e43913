"""Reads HTTP Archive files (HAR 1.2), as exported by browsers and proxies, and turns entries into
exchanges. A HAR keeps decoded text, not the bytes on the wire, and of the times only when the
request began: such an exchange has no arrival times. Our own (``fixtures.har_file``) have a field
``_exchange`` in their entry with what the form has no place for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, NoReturn
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from inspector.core.credentials import urls
from inspector.core.decoded_types import built
from inspector.core.json import Json
from inspector.core.json.document import BadDocument
from inspector.core.wire.exchange import (
    Exchange,
    MeasuredBy,
    Read,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.core.wire.recorded_reads import cut_reads
from inspector.transfer.base64_body import NOT_BASE64, decoded, is_text
from inspector.transfer.entries import NOTE, FoundExchange

INVALID = "invalid_har"
READABLE = ("json", "event-stream", "eventstream", "ndjson")
# Headers that describe the bytes on the wire: a HAR's body is already decoded.
TRANSPORT_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


AtUs = Annotated[int, Meta(ge=-(2**53), le=2**53)]


class HarHeader(msgspec.Struct):
    name: str
    value: str


class HarContent(msgspec.Struct, rename="camel"):
    mime_type: str | None = None
    text: str | None = None
    encoding: str | None = None


class HarResponse(msgspec.Struct):
    content: HarContent
    status: int = 0
    headers: list[HarHeader] = msgspec.field(default_factory=list)


class HarPostData(msgspec.Struct):
    text: str | None = None
    data_b64: str | None = msgspec.field(default=None, name="_data_b64")
    """The bytes of a body that is no text: HAR has no place for them."""


class HarRequest(msgspec.Struct, rename="camel"):
    method: str | None = None
    url: str | None = None
    headers: list[HarHeader] = msgspec.field(default_factory=list)
    post_data: HarPostData | None = None


class HarUnknown(StrEnum):
    """A value that HAR requires and nobody recorded; what the entry has there is a placeholder."""

    STARTED = "startedDateTime"
    REQUEST = "request"
    REQUEST_METHOD = "request.method"
    REQUEST_URL = "request.url"
    REQUEST_HEADERS = "request.headers"
    RESPONSE_STATUS = "response.status"
    RESPONSE_HEADERS = "response.headers"


class HarExchange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts of an exchange beyond HAR. ``reads`` are times in microseconds, null if unknown, and
    lengths in bytes of the body as it stands in the entry. ``decoded_from`` is the content coding
    that was undone for it.
    """

    reads: tuple[tuple[AtUs | None, int], ...]
    outcome: TransportOutcome = TransportOutcome.ENDED
    measured_by: MeasuredBy | None = None
    ended_at_us: int | None = None
    fault: TransportFault | None = None
    total_bytes: int | None = None
    request_total_bytes: int | None = None
    dialect: str | None = None
    decoded_from: str | None = None
    unknown: tuple[HarUnknown, ...] = ()


class HarEntry(msgspec.Struct, rename="camel"):
    request: HarRequest
    response: HarResponse
    started_date_time: str | None = None
    time: float | None = None
    timings: dict[str, Any] = msgspec.field(default_factory=dict)
    exchange: HarExchange | None = msgspec.field(default=None, name="_exchange")


@dataclass(frozen=True, slots=True)
class HarEntrySummary:
    """One entry to choose from; ``number`` counts from 0."""

    number: int
    method: str
    host: str
    path: str
    status: int | None
    media_type: str
    length: int | None
    """Characters of the body; None where the recorder kept none."""

    @property
    def is_readable(self) -> bool:
        return bool(self.length) and any(word in self.media_type for word in READABLE)


def entries_in(value: Json) -> list[Any] | None:
    """Return the entries of a HAR; a single entry as a list; None where the value is neither."""
    if not isinstance(value, dict):
        return None
    log = value.get("log")
    if isinstance(log, dict) and isinstance(log.get("entries"), list):
        return list(log["entries"])
    response = value.get("response")
    has_content = isinstance(response, dict) and isinstance(response.get("content"), dict)
    return [value] if has_content and isinstance(value.get("request"), dict) else None


def summarize_entries(entries: list[Any]) -> Iterator[HarEntrySummary]:
    """Summaries of the valid entries; others cannot be chosen."""
    for number, value in enumerate(entries):
        try:
            yield _summary_of(number, msgspec.convert(value, built(HarEntry)))
        except msgspec.ValidationError:
            continue


def likeliest_entry(found: list[HarEntrySummary]) -> HarEntrySummary | None:
    """Return the answer to a POST that can be read, else any that can, else the first."""
    posted = (entry for entry in found if entry.is_readable and entry.method == "POST")
    readable = (entry for entry in found if entry.is_readable)
    return next(posted, None) or next(readable, None) or next(iter(found), None)


def parse_entry(value: Any) -> FoundExchange:
    """Return the exchange of an entry, with its credentials. Raises ``BadDocument``."""
    try:
        entry = msgspec.convert(value, built(HarEntry))
    except msgspec.ValidationError as error:
        _refuse(f"this is no entry of a HAR: {error}")
    response = entry.response
    if entry.exchange is not None:
        return _own(entry, entry.exchange)
    body, note = _body(response.content)
    return FoundExchange(
        exchange=Exchange(
            reads=(Read(None, body),),
            content_type=_content_type(response),
            status_code=response.status if 100 <= response.status <= 999 else None,
            headers=_pairs(response.headers, leave_out=TRANSPORT_HEADERS),
            request=_request(entry.request),
        ),
        started_at=_moment(entry.started_date_time),
        metadata={"har": _measured(entry)} | ({NOTE: note} if note else {}),
    )


def _own(entry: HarEntry, beyond: HarExchange) -> FoundExchange:
    """Return an entry that was written here: the exchange that it was written from."""
    if beyond.outcome is TransportOutcome.OPEN:
        _refuse("$._exchange.outcome is open, but nothing more comes from a file")
    response, unknown = entry.response, frozenset(beyond.unknown)
    headers = _pairs(response.headers, TRANSPORT_HEADERS if beyond.decoded_from else ())
    exchange = Exchange(
        reads=_cut(_body(response.content)[0], beyond.reads),
        content_type=_content_type(response),
        status_code=None if HarUnknown.RESPONSE_STATUS in unknown else response.status,
        headers=None if HarUnknown.RESPONSE_HEADERS in unknown else headers,
        outcome=beyond.outcome,
        request=None if HarUnknown.REQUEST in unknown else _own_request(entry.request, beyond),
        measured_by=beyond.measured_by,
        ended_at_us=beyond.ended_at_us,
        dialect=beyond.dialect,
        fault=beyond.fault,
        total_bytes=beyond.total_bytes,
    )
    is_started = HarUnknown.STARTED not in unknown
    return FoundExchange(exchange, _moment(entry.started_date_time) if is_started else None)


def _own_request(request: HarRequest, beyond: HarExchange) -> Request:
    unknown = beyond.unknown
    return msgspec.structs.replace(
        _request(request),
        method=None if HarUnknown.REQUEST_METHOD in unknown else request.method,
        url=None if HarUnknown.REQUEST_URL in unknown else request.url,
        headers=None if HarUnknown.REQUEST_HEADERS in unknown else _pairs(request.headers),
        total_bytes=beyond.request_total_bytes,
    )


def _cut(body: bytes, reads: tuple[tuple[int | None, int], ...]) -> tuple[Read, ...]:
    found = cut_reads(body, reads)
    if found is None:
        _refuse("$._exchange.reads are not the lengths of the body")
    return found


def _summary_of(number: int, entry: HarEntry) -> HarEntrySummary:
    url = _split(urls.clean_url(entry.request.url or ""))
    content = entry.response.content
    return HarEntrySummary(
        number=number,
        method=(entry.request.method or "").upper()[:20],
        host=url[0],
        path=url[1],
        status=entry.response.status or None,
        media_type=(_content_type(entry.response) or "").partition(";")[0].strip().lower(),
        length=None if content.text is None else len(content.text),
    )


def _split(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path


def _request(request: HarRequest) -> Request:
    return Request(
        method=request.method,
        url=request.url,
        headers=_pairs(request.headers),
        body=_posted(request.post_data) if request.post_data else None,
    )


def _posted(post_data: HarPostData) -> bytes | None:
    if post_data.data_b64 is not None:
        return _bytes_of(post_data.data_b64, "$.request.postData._data_b64")
    if post_data.text is None:
        return None
    return _utf8(post_data.text, "$.request.postData.text")


def _body(content: HarContent) -> tuple[bytes, str]:
    """Return the bytes, and a note where they are read other than the entry says."""
    if content.text is None:
        _refuse("this entry holds no body: the HAR was exported without content")
    place = "$.response.content.text"
    if not content.encoding:
        return _utf8(content.text, place), ""
    if content.encoding.lower() != "base64":
        _refuse("$.response.content.encoding is neither left out nor base64")
    if is_text(content.text):
        return _utf8(content.text, place), NOT_BASE64
    return _bytes_of(content.text, place), ""


def _bytes_of(text: str, place: str) -> bytes:
    try:
        return decoded(text)
    except ValueError as error:
        _refuse(f"{place} is not base64: {error}")


def _utf8(text: str, place: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        _refuse(f"{place} holds half a surrogate pair, of which no bytes can be made")


def _content_type(response: HarResponse) -> str | None:
    """Return the header, with its parameters, where there is one."""
    sent = (one.value for one in response.headers if one.name.lower() == "content-type")
    return next(sent, None) or response.content.mime_type or None


def _pairs(
    headers: list[HarHeader], leave_out: tuple[str, ...] = ()
) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.value) for one in headers if one.name.lower() not in leave_out)


def _measured(entry: HarEntry) -> dict[str, Json]:
    """Return the timings in milliseconds without those that do not apply (-1)."""
    timings = {
        name: ms for name, ms in entry.timings.items() if isinstance(ms, int | float) and ms >= 0
    }
    coding = (
        one.value for one in entry.response.headers if one.name.lower() == TRANSPORT_HEADERS[0]
    )
    measured: dict[str, Json] = {
        "time_ms": entry.time if (entry.time or 0) >= 0 else None,
        "timings_ms": timings,
        "decoded_from": next(coding, None),
    }
    return {name: value for name, value in measured.items() if value}


def _moment(text: str | None) -> datetime | None:
    """Parse a time; None for anything else. A time without a zone is ambiguous by up to a day, and
    one near the ends of the calendar may not exist in UTC.
    """
    try:
        moment = msgspec.convert(text, datetime)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (msgspec.ValidationError, OverflowError):
        return None


def _refuse(message: str) -> NoReturn:
    raise BadDocument(INVALID, message)
