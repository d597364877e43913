"""The file of an export over HTTP: whole, or a range of it (RFC 9110, section 14), so that a
download that broke off goes on.
"""

from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from inspector.archive.download import HEADERS
from inspector.transfer.exports.exports import ExportFile
from inspector.transfer.exports.pieces import read_pieces
from inspector.web.byte_ranges import ByteRange, parse_range
from inspector.web.cache_headers import ASK_AGAIN, CACHE_CONTROL, unless_known


def download_export(
    request: HttpRequest, file: ExportFile, note: Callable[[], None] = lambda: None
) -> HttpResponseBase:
    """``note`` is called where the file is sent from its beginning, not where it goes on."""
    return unless_known(request, file.etag, lambda: _sent(request, file, note))


def _sent(request: HttpRequest, file: ExportFile, note: Callable[[], None]) -> HttpResponse:
    # A range of another version is answered by the whole file.
    is_same = request.headers.get("If-Range", file.etag) == file.etag
    wanted = parse_range(request.headers.get("Range", ""), file.byte_length) if is_same else None
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
