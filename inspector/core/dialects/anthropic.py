"""Anthropic's Messages, and the text completions before them: recognised, not read."""

import re
from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.dialects.dialect import Dialect, EndMark, Signs
from inspector.core.dialects.vendor import CHAT, Clues, Layer, Vendor

_ID = re.compile(r"(msg|compl)_\d[0-9A-Za-z]*")

STREAM_TYPES = frozenset({"message_start", "message_delta", "content_block_delta", "message_stop"})

WHOLE_SHAPES = {
    "message": frozenset({"content", "role"}),
    "completion": frozenset({"completion", "stop_reason"}),
}


def recognises(signs: Signs) -> bool:
    if "choices" in signs.top:
        return False
    if STREAM_TYPES & signs.types:
        return True
    return any(names <= signs.top for kind, names in WHOLE_SHAPES.items() if kind in signs.types)


def closes(signs: Signs, top: Mapping[str, Json]) -> bool:
    return "message_stop" in signs.types or (
        "completion" in signs.types and bool(top.get("stop_reason"))
    )


DIALECT = Dialect(
    slug="anthropic",
    title="Anthropic message",
    recognises=recognises,
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)


def is_own(clues: Clues) -> bool:
    """Ids of messages and of old completions, also behind the route for OpenAI's clients."""
    if clues.dialect == "provider-error":
        return "error" in clues.signs.types and {"type", "message"} == clues.error
    return _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="anthropic",
    title="Anthropic",
    layer=Layer.MAKER,
    bases=(*CHAT, "anthropic", "provider-error"),
    recognises=is_own,
    hosts=("anthropic.com",),
    headers=("anthropic-",),
)
