"""Ollama's native chat and generate, whole or line by line: recognised, but messages are
not read.
"""

from collections.abc import Mapping

from inspector.core.completion import Json
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen
from inspector.core.formats.grammar import ProviderTime


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return {"model", "done"} <= signs.top and bool({"message", "response"} & signs.top)


def closes(signs: FieldsSeen, top: Mapping[str, Json]) -> bool:
    return top.get("done") is True


DIALECT = Dialect(
    slug="ollama",
    title="Ollama response",
    recognises=recognises,
    is_read=False,
    family="openai-chat",
    table={
        "/total_duration": ProviderTime(),
        "/load_duration": ProviderTime(),
        "/prompt_eval_duration": ProviderTime(),
        "/eval_duration": ProviderTime(),
    },
    end_mark=EndMark.CLOSING_OBJECT,
    closes=closes,
)
