"""Gemini's GenerateContentResponse, whole, streamed or as one array: recognised, but candidates are
not read.
"""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return bool({"candidates", "promptFeedback", "usageMetadata"} & signs.top)


def closes(signs: FieldsSeen, top: Mapping[str, Json]) -> bool:
    """True for a finish reason on the last candidates, or a prompt blocked before any came."""
    candidates = top.get("candidates")
    if not isinstance(candidates, list):
        return "promptFeedback" in top
    return any(isinstance(one, dict) and one.get("finishReason") for one in candidates)


DIALECT = Dialect(
    slug="gemini",
    title="Gemini response",
    recognises=recognises,
    family="openai-chat",
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)
