"""Images inside a part of a message: type, size, address, and whether the page can show them."""

from collections.abc import Callable
from dataclasses import dataclass

from inspector.core.json import Json
from inspector.core.media.audio import BASE64, HEAD_CHARACTERS
from inspector.core.media.part_media import decoded_length, media_of, signed_type
from inspector.dashboard.capture.choices.footnotes import link_of
from inspector.formatting.invisible_characters import (
    TextSegment,
    exact_segments,
    spell_out_invisible,
)

LONGEST_TYPE = 100
"""RFC 6838 allows 127 on either side of the slash; types in use are shorter than this."""
LONGEST_SHOWN = 300
"""A signed address is longer, and its query says nothing to a reader."""

LengthOf = Callable[[str], int | None]
"""Returns the whole length of the text at a JSON Pointer if only its head is known."""


@dataclass(frozen=True, slots=True)
class ImageDisplay:
    """An image; what stands at another address is described and never loaded."""

    media_type: str
    """Empty if unknown."""
    byte_length: int | None
    """Bytes that the base64 decodes to; None without base64."""
    fault: str
    """Why there is no size; empty if there is one, or an address."""
    address: str
    """As sent; empty if the image has none."""
    is_shown: bool
    """True if it was sent itself, as a type that browsers draw."""

    @property
    def link(self) -> str:
        """The address if it may be linked."""
        return link_of(self.address)

    @property
    def words(self) -> tuple[TextSegment, ...]:
        """The address as text."""
        rest = "…" if len(self.address) > LONGEST_SHOWN else ""
        return exact_segments(self.address[:LONGEST_SHOWN] + rest)


def image_display(value: Json, length_of: LengthOf) -> ImageDisplay:
    media = media_of(value)
    is_base64 = BASE64.fullmatch(media.data[:HEAD_CHARACTERS]) is not None
    length = length_of(media.pointer) or len(media.data)
    fault = "no image data was sent" if not media.data else "its data is not base64"
    return ImageDisplay(
        media_type=spell_out_invisible(media.stated_type[:LONGEST_TYPE]) or signed_type(media.data),
        byte_length=decoded_length(media.data, length) if media.data and is_base64 else None,
        fault="" if media.address or (media.data and is_base64) else fault,
        address=media.address,
        is_shown=is_base64 and bool(signed_type(media.data)),
    )
