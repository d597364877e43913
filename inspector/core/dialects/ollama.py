"""Ollama's native chat and generate, whole or line by line: recognised, not read."""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.dialects.dialect import Dialect, EndMark, Signs
from inspector.core.dialects.vendor import CHAT, Clues, Layer, Vendor


def recognises(signs: Signs) -> bool:
    if "choices" in signs.top:
        return False
    return {"model", "done"} <= signs.top and bool({"message", "response"} & signs.top)


def closes(signs: Signs, top: Mapping[str, Json]) -> bool:
    return top.get("done") is True


DIALECT = Dialect(
    slug="ollama",
    title="Ollama response",
    recognises=recognises,
    is_read=False,
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)


def is_own(clues: Clues) -> bool:
    """Its native format is nobody else's; its route for OpenAI's clients says so."""
    return clues.dialect == "ollama" or clues.fingerprint == "fp_ollama"


VENDOR = Vendor(
    slug="ollama",
    title="Ollama",
    layer=Layer.ENGINE,
    bases=(*CHAT, "ollama"),
    recognises=is_own,
    hosts=("ollama.com",),
    finish_reasons={"load": "the model was loaded and asked nothing"},
)
