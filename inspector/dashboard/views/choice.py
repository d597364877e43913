"""What one choice says, as a file: its speech, and its texts in full."""

from __future__ import annotations

import re
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from inspector.archive import queries
from inspector.core.audio import Audio, audio_of, decoded
from inspector.core.completion import Choice
from inspector.dashboard.asking import signed_in
from inspector.dashboard.speech import ENDINGS
from inspector.teams.access import Principal

TEXTS = ("content", "text", "reasoning", "refusal")
RANGE = re.compile(r"bytes=(\d{1,12})?-(\d{1,12})?")


@signed_in
def audio(request: HttpRequest, principal: Principal, id: UUID, choice: int) -> HttpResponseBase:
    """Speech for the page's player, and to be kept; some players ask for it range by range."""
    speech = audio_of(choice_of(principal, id, choice)) or Audio()
    data = decoded(speech.data or "")
    if not data:
        raise Http404
    media_type = speech.media_type or "application/octet-stream"
    name = f"{id}-{choice}.{ENDINGS.get(media_type, 'pcm')}"
    return attachment(request, name, media_type, data)


@signed_in
def text(
    request: HttpRequest, principal: Principal, id: UUID, choice: int, part: str
) -> HttpResponseBase:
    """A text as it was sent, every character of it."""
    said = getattr(choice_of(principal, id, choice), part) if part in TEXTS else None
    if not isinstance(said, str):
        raise Http404
    # Half a surrogate pair is no UTF-8.
    data = said.encode("utf-8", "replace")
    return attachment(request, f"{id}-{choice}-{part}.txt", "text/plain; charset=utf-8", data)


def choice_of(principal: Principal, id: UUID, index: int) -> Choice:
    analysis = queries.for_principal(principal).analysis(id)
    for choice in analysis.choices if analysis else ():
        if choice.index == index:
            return choice
    raise Http404


def attachment(request: HttpRequest, name: str, content_type: str, data: bytes) -> HttpResponse:
    """Never a page of its own: a browser keeps it as a file, or plays it inside ours."""
    start, end = asked_bytes(request.headers.get("Range", ""), len(data))
    response = HttpResponse(data[start:end], content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    response["Accept-Ranges"] = "bytes"
    if (start, end) != (0, len(data)):
        response.status_code = 206
        response["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
    return response


def asked_bytes(asked: str, length: int) -> tuple[int, int]:
    """First byte and end (exclusive) of a range (RFC 9110, 14.1.2); all of them where it is none
    that can be answered, as a server may.
    """
    match = RANGE.fullmatch(asked)
    if match is None:
        return 0, length
    first, last = match.groups()
    if not first:
        start, end = length - int(last or length), length
    else:
        start, end = int(first), min(int(last or length) + 1, length)
    return (max(0, start), end) if start < end else (0, length)
