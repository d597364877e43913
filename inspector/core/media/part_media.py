"""Images, audio and files inside a part of a message: type, base64 and address as they were sent.

Sources: ``inlineData`` and ``fileData`` of Gemini, ``source`` of Anthropic's image blocks,
``image_url`` and ``input_audio`` of chat parts, ``result`` of OpenAI's image_generation_call.
"""

from collections.abc import Iterator

import msgspec

from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.media.audio import HEAD_CHARACTERS, decode_audio

MAX_DEPTH = 3
"""An address stands two levels below its part, as `image_url.url`."""
TYPE_NAMES = ("mimeType", "mime_type", "media_type")
DATA_NAMES = ("data", "b64_json", "result", "bytes", "file_data")
ADDRESS_NAMES = ("url", "uri", "fileUri", "file_uri", "image_url", "file_url", "document_url")
IMAGE_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
)
"""Signature, its byte offset, and media type."""


class PartMedia(msgspec.Struct, frozen=True):
    """``data`` is base64 as sent, at ``pointer`` inside the part; ``address`` is a URL as sent."""

    stated_type: str
    data: str = ""
    pointer: str = ""
    address: str = ""


def media_of(value: Json) -> PartMedia:
    """Return the first type, base64 text and address in a part; all empty if there are none."""
    stated = data = pointer = address = ""
    for path, text in texts_in(value):
        name = path[-1]
        if text.startswith("data:") and not data:
            head, _, data = text.partition(",")
            stated, pointer = stated or head[len("data:") :].split(";")[0], pointer_to(path)
        elif name in TYPE_NAMES:
            stated = stated or text
        elif name in DATA_NAMES and not data:
            data, pointer = text, pointer_to(path)
        elif name in ADDRESS_NAMES and not address:
            address = text
    return PartMedia(stated, data, pointer, address)


def texts_in(value: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Texts of an object and of those inside it, each with its path."""
    for name, member in value.items() if isinstance(value, dict) else ():
        if isinstance(member, str) and member:
            yield (*path, name), member
        elif len(path) < MAX_DEPTH:
            yield from texts_in(member, (*path, name))


def signed_type(data: str) -> str:
    """Media type of an image by its first bytes; empty if it is not a known one."""
    head = decode_audio(data[:HEAD_CHARACTERS]) or b""
    found = (kind for sign, at, kind in IMAGE_SIGNATURES if head.startswith(sign, at))
    return next(found, "")


def decoded_length(data: str, length: int) -> int:
    """Bytes that ``length`` characters of base64 give; ``data`` is their head, or all of them."""
    padding = len(data) - len(data.rstrip("=")) if length == len(data) else 0
    return (length - padding) * 3 // 4
