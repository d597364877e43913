"""Reads HTTP Archive files (HAR 1.2), as exported by browsers and proxies, and turns entries into
exchanges. A HAR keeps decoded text, not the bytes on the wire, and of the times only when the
request began: such an exchange has no arrival times.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn
from urllib.parse import urlsplit

import msgspec

from inspector.archive.intake.submission import Submission, without_credentials
from inspector.core.completion import Json
from inspector.core.credentials import urls
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.transfer.json_document import BadDocument

INVALID = "invalid_har"
READABLE = ("json", "event-stream", "ndjson")
# Headers that describe the bytes on the wire: a HAR's body is already decoded.
TRANSPORT_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


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


class HarRequest(msgspec.Struct, rename="camel"):
    method: str | None = None
    url: str | None = None
    headers: list[HarHeader] = msgspec.field(default_factory=list)
    post_data: HarPostData | None = None


class HarEntry(msgspec.Struct, rename="camel"):
    request: HarRequest
    response: HarResponse
    started_date_time: str | None = None
    time: float | None = None
    timings: dict[str, Any] = msgspec.field(default_factory=dict)


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
    """The entries of a HAR; a single entry as a list; None where the value is neither."""
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
            yield _summary_of(number, msgspec.convert(value, HarEntry))
        except msgspec.ValidationError:
            continue


def likeliest_entry(found: list[HarEntrySummary]) -> HarEntrySummary | None:
    """The answer to a POST that can be read, else any that can, else the first."""
    posted = (entry for entry in found if entry.is_readable and entry.method == "POST")
    readable = (entry for entry in found if entry.is_readable)
    return next(posted, None) or next(readable, None) or next(iter(found), None)


def parse_entry(value: Any) -> Submission:
    try:
        entry = msgspec.convert(value, HarEntry)
    except msgspec.ValidationError as error:
        _refuse(f"this is no entry of a HAR: {error}")
    response = entry.response
    arrival = Submission(
        exchange=Exchange(
            reads=(Read(None, _body(response.content)),),
            content_type=_content_type(response),
            status_code=response.status if 100 <= response.status <= 999 else None,
            headers=_pairs(response.headers, leave_out=TRANSPORT_HEADERS),
            request=_request(entry.request),
        ),
        started_at=_moment(entry.started_date_time),
        metadata={"har": _measured(entry)},
    )
    return without_credentials(arrival)


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
    text = request.post_data.text if request.post_data else None
    return Request(
        method=request.method,
        url=request.url,
        headers=_pairs(request.headers),
        body=None if text is None else _utf8(text, "$.request.postData.text"),
    )


def _body(content: HarContent) -> bytes:
    if content.text is None:
        _refuse("this entry holds no body: the HAR was exported without content")
    if not content.encoding:
        return _utf8(content.text, "$.response.content.text")
    if content.encoding.lower() != "base64":
        _refuse("$.response.content.encoding is neither left out nor base64")
    try:
        return base64.b64decode(content.text, validate=True)
    except (binascii.Error, ValueError) as error:
        _refuse(f"$.response.content.text is not base64: {error}")


def _utf8(text: str, place: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        _refuse(f"{place} holds half a surrogate pair, of which no bytes can be made")


def _content_type(response: HarResponse) -> str | None:
    """The header, with its parameters, where there is one."""
    sent = (one.value for one in response.headers if one.name.lower() == "content-type")
    return next(sent, None) or response.content.mime_type or None


def _pairs(
    headers: list[HarHeader], leave_out: tuple[str, ...] = ()
) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.value) for one in headers if one.name.lower() not in leave_out)


def _measured(entry: HarEntry) -> dict[str, Json]:
    """The recorder's timings in milliseconds; HAR writes -1 for a timing that does not apply, which
    is left out.
    """
    timings = {
        name: ms for name, ms in entry.timings.items() if isinstance(ms, int | float) and ms >= 0
    }
    coding = (
        one.value for one in entry.response.headers if one.name.lower() == TRANSPORT_HEADERS[0]
    )
    measured: dict[str, Json] = {
        "time_ms": entry.time,
        "timings_ms": timings,
        "decoded_from": next(coding, None),
    }
    return {name: value for name, value in measured.items() if value}


def _moment(text: str | None) -> datetime | None:
    """Parses a time; None for anything else. A time without a zone is ambiguous by up to a day, and
    one near the ends of the calendar may not exist in UTC.
    """
    try:
        moment = msgspec.convert(text, datetime)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (msgspec.ValidationError, OverflowError):
        return None


def _refuse(message: str) -> NoReturn:
    raise BadDocument(INVALID, message)
