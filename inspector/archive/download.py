"""The bytes of a capture as a file: for a browser that keeps it, and for programs."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from inspector.archive.opened import OpenedCapture
from inspector.web.cache_headers import unless_known

ENDINGS = {
    "text/event-stream": "sse",
    "application/json": "json",
    "application/x-ndjson": "ndjson",
    "application/vnd.amazon.eventstream": "bin",
}
TEXTUAL = ("text/", "application/json", "application/x-ndjson")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # A stored page must stay text: no scripts, no forms, an origin of its own.
    "Content-Security-Policy": "sandbox; default-src 'none'",
}
REDACTED_HEADER = "X-Inspector-Redacted"
"""How many passages rules of the team overwrote; absent where none."""


def download(request: HttpRequest, capture: OpenedCapture) -> HttpResponseBase:
    """Respond with the exact bytes, as far as they have come, as an attachment that no browser
    shows or runs, or 304 by the ETag. Raises ``Http404`` where the capture was deleted meanwhile,
    and ``ReadingError`` where its body is deleted.
    """
    capture.require_body()
    if capture.is_recording:
        # The next answer may be longer.
        return _file(capture)
    return unless_known(request, f'"{capture.sha256}"', lambda: _file(capture))


def ending_of(content_type: str | None) -> str:
    return ENDINGS.get((content_type or "").partition(";")[0].strip().lower(), "txt")


def _file(capture: OpenedCapture) -> HttpResponse:
    if capture.exchange is None:
        raise Http404
    sent = (capture.content_type or "").strip().lower()
    headers = {
        **HEADERS,
        "Content-Disposition": f'attachment; filename="{capture.row.id}.{ending_of(sent)}"',
        "Content-Type": "text/plain; charset=utf-8"
        if sent.startswith(TEXTUAL)
        else "application/octet-stream",
    }
    if capture.row.redactions:
        headers[REDACTED_HEADER] = str(capture.row.redactions)
    return HttpResponse(capture.exchange.body, headers=headers)
