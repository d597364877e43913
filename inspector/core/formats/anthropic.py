"""Anthropic's Messages and its older text completions: recognised, but choices are not read."""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen

STREAM_TYPES = frozenset({"message_start", "message_delta", "content_block_delta", "message_stop"})

WHOLE_SHAPES = {
    "message": frozenset({"content", "role"}),
    "completion": frozenset({"completion", "stop_reason"}),
}


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    if STREAM_TYPES & signs.types:
        return True
    return any(names <= signs.top for kind, names in WHOLE_SHAPES.items() if kind in signs.types)


def closes(signs: FieldsSeen, top: Mapping[str, Json]) -> bool:
    return "message_stop" in signs.types or (
        "completion" in signs.types and bool(top.get("stop_reason"))
    )


DIALECT = Dialect(
    slug="anthropic",
    title="Anthropic message",
    recognises=recognises,
    family="openai-chat",
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)
