"""OpenAI's Responses: recognised, but output items are not read."""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen

CLOSING_TYPES = frozenset({"response.completed", "response.incomplete", "response.failed"})


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return "response" in signs.objects or any(kind.startswith("response.") for kind in signs.types)


def closes(signs: FieldsSeen, top: Mapping[str, Json]) -> bool:
    return bool(CLOSING_TYPES & signs.types)


DIALECT = Dialect(
    slug="openai-responses",
    title="OpenAI response",
    recognises=recognises,
    family="openai-chat",
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)
