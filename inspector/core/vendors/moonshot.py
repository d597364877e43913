"""Moonshot: ids of 24 hexadecimal digits, and in streams the usage on the choice."""

import re

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"(chatcmpl-[0-9a-f]{24}|cmpl-[0-9a-f]{32})")


def recognises(clues: VendorSignals) -> bool:
    own = "cached_tokens" in clues.usage or "usage" in clues.signs.choice
    return own and _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="moonshot",
    title="Moonshot",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("moonshot.ai", "moonshot.cn"),
    headers=("msh-", "x-msh-"),
    choice_fields={"usage": "the usage, in the last chunk of a stream"},
)
