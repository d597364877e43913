"""Quotes what came in place of a chunk, for the sentences of findings."""

import re

from inspector.core.findings import shorten
from inspector.core.json import parser

# As in "<title>502 Bad Gateway</title>".
_TITLE = re.compile(rb"<(?:title|h1)[^>]{0,80}>([^<]{1,200})", re.IGNORECASE)
NEAR_BYTES = 24
"""Bytes on either side of a fault: a line of a finding."""
MAX_DATA, MOST_QUOTED = 400, 200
"""Bytes of data that is no object from which its quotation is taken."""


def page_title(text: bytes) -> str:
    """Return the title of an HTML page, or the heading that stands for it; "" if there is none."""
    title = _TITLE.search(text)
    return shorten(" ".join(title[1].decode(errors="replace").split())) if title else ""


def near(text: bytes, byte: int) -> str:
    """Quote what stands around a fault, for the end of a sentence; "" where nothing does."""
    # What breaks at once is mostly no JSON but words.
    is_text = byte < 2
    behind = byte + (MOST_QUOTED if is_text else NEAR_BYTES)
    around = text[max(0, byte - NEAR_BYTES) : behind].decode(errors="ignore")
    words = " ".join(around.split())
    return (
        f", at “{shorten(words, MOST_QUOTED if is_text else 60)}”"
        if words.isprintable() and words
        else ""
    )


def quoted_data(text: bytes) -> str:
    """Quote data that is no object, for use inside a sentence."""
    return shorten(" ".join(text[:MAX_DATA].decode(errors="replace").split()), MOST_QUOTED)


def fault_words(fault: parser.JsonFault) -> str:
    """Describe a fault. A byte in the description counts from the start of the event's data."""
    if fault.kind is parser.JsonFaultKind.INVALID_UTF8:
        return f"byte {fault.byte:,} of the data is not UTF-8"
    return fault.message
