"""How much of what a sender says of a capture is kept."""

NOTE_CHARACTERS = 4_000
"""An upload's is cut, a person's refused."""
TAG_CHARACTERS = 64
"""The width of the column by which captures are found."""
MAX_TAGS = 32
"""Each is a row more to write with the capture; further ones of an upload are left out."""
METADATA_CHARACTERS = 64_000
"""As JSON; an envelope with more is refused."""
CONTENT_TYPE_CHARACTERS = 255
"""Cut here alone: among the headers it stands whole."""
URL_CHARACTERS = 2_000
"""About what browsers and servers agree on; shown, never called."""
METHOD_CHARACTERS = 20
"""The width of the column; the longest registered method has 17 (UPDATEREDIRECTREF)."""
