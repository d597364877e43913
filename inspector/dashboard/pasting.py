"""What the form of the paste page says: the bytes to read, and how to read them."""

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

from inspector.core.dialects import dialects
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.templatetags.formats import count
from inspector.transfer.pasted import Wanted

CONTENT_TYPES = ("application/json", "text/event-stream", "application/x-ndjson", "text/plain")
BY_ENDING = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
AS_IT_IS = "bytes"
"""Of ``read_as``: the bytes are the response, even where they look like something around one."""


class Unusable(Exception):
    """The form cannot be used as it is; the sentence says why."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


@dataclass(frozen=True, slots=True)
class Form:
    content: bytes
    name: str
    """Of the file, empty where a text was pasted."""
    from_box: bool
    """The browser sent the text of the box, with its own line ends."""
    content_type: str
    read_as: str
    entry: int | None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def carried(self) -> str:
        """The same bytes for a page without scripts, which could not send a file again."""
        return base64.b64encode(self.content).decode()

    @property
    def wanted(self) -> Wanted:
        named = self.read_as not in ("", AS_IT_IS)
        return Wanted(
            content_type=self.content_type or BY_ENDING.get(Path(self.name).suffix.lower()),
            dialect=self.read_as if named else None,
            entry=self.entry,
            as_it_is=self.read_as == AS_IT_IS,
        )


def form_of(request: HttpRequest) -> Form:
    """Raises Unusable. A file wins over the text beside it."""
    file = request.FILES.get("file")
    name = request.POST.get("name", "")
    content = _content(request, file if isinstance(file, UploadedFile) else None)
    if len(content) > settings.MAX_BODY_BYTES:
        limit = count(settings.MAX_BODY_BYTES)
        raise Unusable(f"This is over the limit of {limit} bytes.", 413)
    return Form(
        content=content,
        name=(file.name or "") if isinstance(file, UploadedFile) and not name else name,
        from_box=not file and "carried" not in request.POST,
        content_type=_one_of(request, "content_type", CONTENT_TYPES),
        read_as=_one_of(request, "read_as", (AS_IT_IS, *dialects())),
        entry=whole_number(request.POST.get("entry", "")),
    )


def _content(request: HttpRequest, file: UploadedFile[Any] | None) -> bytes:
    if file is not None:
        return bytes(file.read())
    if "carried" in request.POST:
        return _decoded(request.POST["carried"])
    # Browsers send every line end of a text box as CRLF, whatever was pasted; inside it is LF.
    return request.POST.get("text", "").replace("\r\n", "\n").encode(errors="surrogatepass")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Unusable("The text was damaged in transit: paste it again.", 400) from error


def _one_of(request: HttpRequest, name: str, offered: tuple[str, ...]) -> str:
    """Empty for nothing chosen, and for what is no choice."""
    value = request.POST.get(name, "")
    return value if value in offered else ""
