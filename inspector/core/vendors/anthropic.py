"""Anthropic: a maker, at its own host or behind an OpenAI-compatible route."""

import re

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"(msg|compl)_\d[0-9A-Za-z]*")


def is_own(clues: VendorSignals) -> bool:
    """True for the ids of messages and of old completions, on any route."""
    if clues.dialect == "provider-error":
        return "error" in clues.signs.types and {"type", "message"} == clues.error
    return _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="anthropic",
    title="Anthropic",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, "anthropic", "provider-error"),
    recognises=is_own,
    hosts=("anthropic.com",),
    headers=("anthropic-",),
)
