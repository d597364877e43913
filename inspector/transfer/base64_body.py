"""Bodies that a recorder says to be base64, as some say of plain text (Firefox in a HAR)."""

import base64
import re

NOT_BASE64 = "the body is said to be base64 and is plain text: it was read as it stands"
# As the "<" of a page.
_other = re.compile(r"[^A-Za-z0-9+/=\s]").search
# As the line ends that MIME puts into base64.
_white = re.compile(r"\s+")


def is_text(said: str) -> bool:
    """Return True for a text with a character that base64 does not have."""
    return _other(said) is not None


def decoded(text: str) -> bytes:
    """Return the bytes of base64, which may stand on several lines. Raises ``ValueError``."""
    return base64.b64decode(_white.sub("", text), validate=True)
