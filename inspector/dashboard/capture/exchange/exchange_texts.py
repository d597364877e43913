"""The texts of the exchange that the search of the capture page looks through."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inspector.dashboard.capture.exchange.header_list import MOST_HEADERS
from inspector.dashboard.capture.exchange.metadata_list import MOST_ENTRIES, metadata_text
from inspector.dashboard.capture.page.capture_view import CaptureView


def exchange_texts(view: CaptureView) -> Iterator[tuple[str, str]]:
    """Yields name and text of everything that the panel lists."""
    request = view.request
    if request is not None and (request.method or request.url):
        yield "request line", f"{request.method or ''} {request.url or ''}".strip()
    for name, value in (request.headers or () if request else ())[:MOST_HEADERS]:
        yield "request header", f"{name}: {value}"
    for name, value in (view.page.headers or ())[:MOST_HEADERS]:
        yield "response header", f"{name}: {value}"
    for name, value in islice(view.page.metadata.items(), MOST_ENTRIES):
        yield "metadata", f"{name}: {metadata_text(value)}"
