"""Parses the paste form: the bytes to read and how to read them."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from inspector.core.formats import dialects
from inspector.dashboard.paste.pasted import PasteOptions
from inspector.dashboard.request_values import parse_whole_number
from inspector.formatting.humanize import count

CONTENT_TYPES = ("application/json", "text/event-stream", "application/x-ndjson", "text/plain")
CONTENT_TYPE_BY_SUFFIX = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
READ_AS_BYTES = "bytes"
"""Value of ``read_as``: the bytes are the response body even if they look like an envelope."""


class BadPasteForm(Exception):
    """Raised for an unusable form, with a sentence for the user."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


@dataclass(frozen=True, slots=True)
class PasteForm:
    content: bytes
    name: str
    """File name; empty for pasted text."""
    from_box: bool
    """True if the text came from the text box, whose line ends the browser normalised."""
    content_type: str
    read_as: str
    entry: int | None
    part: int | None
    """Part in the page's address; the first choice, before ``entry`` was chosen on the page."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def base64_content(self) -> str:
        """The bytes as base64, for a page without scripts, which cannot send a file again."""
        return base64.b64encode(self.content).decode()

    @property
    def options(self) -> PasteOptions:
        named = self.read_as not in ("", READ_AS_BYTES)
        return PasteOptions(
            content_type=self.content_type
            or CONTENT_TYPE_BY_SUFFIX.get(Path(self.name).suffix.lower()),
            dialect=self.read_as if named else None,
            entry=self.entry,
            part=self.part,
            as_it_is=self.read_as == READ_AS_BYTES,
        )


def parse_paste_form(request: HttpRequest, example: bytes = b"") -> PasteForm:
    """Parse the form; a file takes precedence over text, and both over an example. Raises
    ``BadPasteForm``.
    """
    file = request.FILES.get("file")
    name = request.POST.get("name", "")
    content = _content(request, file if isinstance(file, UploadedFile) else None) or example
    if len(content) > settings.MAX_BODY_BYTES:
        limit = count(settings.MAX_BODY_BYTES)
        raise BadPasteForm(f"This is over the limit of {limit} bytes.", 413)
    return PasteForm(
        content=content,
        name=(file.name or "") if isinstance(file, UploadedFile) and not name else name,
        from_box=not file and "carried" not in request.POST,
        content_type=_one_of(request, "content_type", CONTENT_TYPES),
        read_as=_one_of(request, "read_as", (READ_AS_BYTES, *dialects())),
        entry=parse_whole_number(request.POST.get("entry", "")),
        part=parse_whole_number(request.GET.get("part", "")),
    )


def _content(request: HttpRequest, file: UploadedFile[Any] | None) -> bytes:
    if file is not None:
        return bytes(file.read())
    if "carried" in request.POST:
        return _decode_base64(request.POST["carried"])
    # Browsers submit the line ends of a text box as CRLF whatever was pasted; internally they are
    # LF.
    return request.POST.get("text", "").replace("\r\n", "\n").encode(errors="surrogatepass")


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadPasteForm("The text was damaged in transit: paste it again.", 400) from error


def _one_of(request: HttpRequest, name: str, offered: tuple[str, ...]) -> str:
    """Return the chosen option, or "" for none and for unknown values."""
    value = request.POST.get(name, "")
    return value if value in offered else ""
