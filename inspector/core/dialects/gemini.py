"""Gemini's GenerateContentResponse, whole, streamed or as one array: recognised, not read."""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.dialects.dialect import Dialect, EndMark, Signs
from inspector.core.dialects.vendor import CHAT, Clues, Layer, Vendor


def recognises(signs: Signs) -> bool:
    if "choices" in signs.top:
        return False
    return bool({"candidates", "promptFeedback", "usageMetadata"} & signs.top)


def closes(signs: Signs, top: Mapping[str, Json]) -> bool:
    """A finish reason on the last candidates, or a prompt that was blocked before any came."""
    candidates = top.get("candidates")
    if not isinstance(candidates, list):
        return "promptFeedback" in top
    return any(isinstance(one, dict) and one.get("finishReason") for one in candidates)


DIALECT = Dialect(
    slug="gemini",
    title="Gemini response",
    recognises=recognises,
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)


def is_own(clues: Clues) -> bool:
    """Its native format, and thought signatures behind its other route."""
    if clues.dialect == "gemini":
        return True
    names = {"extra_content", "thought_signature"}
    return bool(names & (clues.signs.message | clues.calls))


VENDOR = Vendor(
    slug="gemini",
    title="Gemini",
    layer=Layer.MAKER,
    bases=(*CHAT, "gemini"),
    recognises=is_own,
    hosts=("generativelanguage.googleapis.com",),
    message_fields={
        "extra_content": "thought signature and whether this is a thought",
        "thought_signature": "to be sent back with the next request",
    },
    breaks={"usage.total-mismatch": "the total counts thinking that no other count tells"},
)
