"""OpenAI's Responses: recognised, not read."""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.dialects.dialect import Dialect, EndMark, Signs

CLOSING_TYPES = frozenset({"response.completed", "response.incomplete", "response.failed"})


def recognises(signs: Signs) -> bool:
    if "choices" in signs.top:
        return False
    return "response" in signs.objects or any(kind.startswith("response.") for kind in signs.types)


def closes(signs: Signs, top: Mapping[str, Json]) -> bool:
    return bool(CLOSING_TYPES & signs.types)


DIALECT = Dialect(
    slug="openai-responses",
    title="OpenAI response",
    recognises=recognises,
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)
