"""The file of an export over HTTP: whole, or a range of it (RFC 9110, section 14), so that a
download that broke off goes on.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from inspector.archive.download import HEADERS
from inspector.transfer.exports.exports import ExportFile
from inspector.transfer.exports.pieces import read_pieces
from inspector.web.cache_headers import ASK_AGAIN, CACHE_CONTROL, unless_known

# As in "bytes=100-", "bytes=0-99", "bytes=-100".
_RANGE = re.compile(r"bytes=(?:(?P<first>[0-9]{1,18})-(?P<last>[0-9]{0,18})|-(?P<end>[0-9]{1,18}))")


class ByteRange(NamedTuple):
    """``last`` is inclusive, as in HTTP."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def download_export(
    request: HttpRequest, file: ExportFile, note: Callable[[], None] = lambda: None
) -> HttpResponseBase:
    """``note`` is called where the file is sent from its beginning, not where it goes on."""
    return unless_known(request, file.etag, lambda: _sent(request, file, note))


def _sent(request: HttpRequest, file: ExportFile, note: Callable[[], None]) -> HttpResponse:
    wanted = range_of(request, file)
    if wanted is not None and wanted.length <= 0:
        return _headed(HttpResponse(status=416), file, f"bytes */{file.byte_length}")
    whole = ByteRange(0, file.byte_length - 1)
    sent = wanted or whole
    if request.method == "HEAD":
        response: HttpResponse = HttpResponse()
    else:
        if sent.first == 0:
            note()
        response = StreamingHttpResponse(_content(file, sent))  # type: ignore[assignment]
    response["Content-Length"] = str(sent.length)
    response["Content-Type"] = file.media_type
    if wanted is None:
        return _headed(response, file)
    response.status_code = 206
    return _headed(response, file, f"bytes {sent.first}-{sent.last}/{file.byte_length}")


def range_of(request: HttpRequest, file: ExportFile) -> ByteRange | None:
    """Return the range asked for: empty where the file has none of it, None for the whole file."""
    # Several ranges, other units and what is no range are answered by the whole file, as is a range
    # of another version.
    found = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    if found is None or request.headers.get("If-Range", file.etag) != file.etag:
        return None
    end = file.byte_length - 1
    if found["end"] is not None:
        length = min(int(found["end"]), file.byte_length)
        return ByteRange(file.byte_length - length, end) if length else ByteRange(0, -1)
    first, last = int(found["first"]), int(found["last"] or end)
    if last < first and found["last"]:
        return None
    return ByteRange(first, min(last, end)) if first <= end else ByteRange(0, -1)


def _content(file: ExportFile, sent: ByteRange) -> Iterator[bytes]:
    return read_pieces(file.id, file.part_lengths, sent.first, sent.length)


def _headed(response: HttpResponse, file: ExportFile, content_range: str = "") -> HttpResponse:
    headers = {
        **HEADERS,
        "Accept-Ranges": "bytes",
        "Content-Disposition": f'attachment; filename="{file.name}"',
        CACHE_CONTROL: ASK_AGAIN,
    }
    if content_range:
        headers["Content-Range"] = content_range
    for name, value in headers.items():
        response[name] = value
    return response
