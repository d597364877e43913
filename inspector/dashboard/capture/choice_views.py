"""Downloads of one choice: its audio and images, and its texts in full."""

import re
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from inspector.archive import queries
from inspector.core.completion import BlockKind, Choice
from inspector.core.media.audio import MessageAudio, audio_of, audio_of_block, decode_audio
from inspector.core.media.part_media import media_of, signed_type
from inspector.dashboard.capture.choices.speech import AUDIO_FILE_EXTENSIONS
from inspector.dashboard.pages import login_required
from inspector.teams.access import Principal
from inspector.web.byte_ranges import ByteRange, parse_range

TEXTS = ("content", "text", "reasoning", "refusal")
# As in "block-3".
BLOCK_PART = re.compile(r"block-([0-9]{1,9})")


@login_required
def audio(
    request: HttpRequest, principal: Principal, capture_id: UUID, choice: int
) -> HttpResponse:
    """Serve the choice's audio for the player and for download, with support for Range."""
    found = audio_of(choice_or_404(principal, capture_id, choice))
    return audio_file(request, f"{capture_id}-{choice}", found)


@login_required
def block_audio(
    request: HttpRequest, principal: Principal, capture_id: UUID, choice: int, block: int
) -> HttpResponse:
    """Serve the audio of one block in the same way."""
    blocks = choice_or_404(principal, capture_id, choice).blocks
    found = audio_of_block(blocks[block]) if block < len(blocks) else None
    return audio_file(request, f"{capture_id}-{choice}-{block}", found)


@login_required
def block_image(
    request: HttpRequest, principal: Principal, capture_id: UUID, choice: int, image: int
) -> HttpResponse:
    """Serve the image of one block, of the types that are known by their first bytes."""
    blocks = choice_or_404(principal, capture_id, choice).blocks
    if image >= len(blocks) or blocks[image].kind is not BlockKind.IMAGE:
        raise Http404
    sent = media_of(blocks[image].value).data
    media_type, data = signed_type(sent), decode_audio(sent)
    if not media_type or data is None:
        raise Http404
    name = f"{capture_id}-{choice}-{image}.{media_type.removeprefix('image/')}"
    return attachment(request, name, media_type, data)


@login_required
def text(
    request: HttpRequest, principal: Principal, capture_id: UUID, choice: int, part: str
) -> HttpResponse:
    """Serve one text of the choice in full; lone surrogates become ``?``."""
    found = text_of_part(choice_or_404(principal, capture_id, choice), part)
    if found is None:
        raise Http404
    data = found.encode("utf-8", "replace")
    return attachment(
        request, f"{capture_id}-{choice}-{part}.txt", "text/plain; charset=utf-8", data
    )


def block_part(position: int) -> str:
    """Names the text of one block in a URL: ``block-2``."""
    return f"block-{position}"


def text_of_part(choice: Choice, part: str) -> str | None:
    """Return a text by its name, such as ``content`` or ``block-2``."""
    found = getattr(choice, part) if part in TEXTS else None
    if match := BLOCK_PART.fullmatch(part):
        blocks = choice.blocks[int(match[1]) :]
        found = blocks[0].text if blocks else None
    return found if isinstance(found, str) else None


def audio_file(request: HttpRequest, name: str, speech: MessageAudio | None) -> HttpResponse:
    data = decode_audio(speech.data or "") if speech else None
    if speech is None or not data:
        raise Http404
    media_type = speech.media_type or "application/octet-stream"
    extension = AUDIO_FILE_EXTENSIONS.get(media_type, "pcm")
    return attachment(request, f"{name}.{extension}", media_type, data)


def choice_or_404(principal: Principal, capture_id: UUID, index: int) -> Choice:
    found = queries.for_principal(principal).readout(capture_id)
    for choice in found.analysis.choices if found else ():
        if choice.index == index:
            return choice
    raise Http404


def attachment(request: HttpRequest, name: str, content_type: str, data: bytes) -> HttpResponse:
    # Always an attachment: content from outside is never rendered as a page of this origin.
    wanted = parse_range(request.headers.get("Range", ""), len(data))
    if wanted is None or wanted.length <= 0:
        # What cannot be satisfied gives the whole file, which RFC 9110 allows.
        wanted = ByteRange(0, len(data) - 1)
    first, last = wanted
    response = HttpResponse(data[first : last + 1], content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    response["Accept-Ranges"] = "bytes"
    if wanted.length < len(data):
        response.status_code = 206
        response["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
    return response
