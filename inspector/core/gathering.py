"""Fields that no document defines, kept over all events: nothing sent is lost."""

from __future__ import annotations

from msgspec import UNSET

from inspector.core.completion import Json
from inspector.core.cursor import joined
from inspector.core.pieces import put_together

LABELS = frozenset({"channel", "id", "name", "status", "type"})
"""Texts that are said again and never grow; the last holds."""
GROWING = frozenset({"data", "transcript"})
"""Texts that always grow: speech may say the same twice."""
PIECED = frozenset({"executed_tools", "reasoning_details", "thinking_blocks"})
"""Lists whose entries come in pieces."""


class Parts(list[str]):
    """Texts sent under one unknown name: a label where all are equal, else a text that grew."""


class Grown(Parts):
    """Texts that are parts of one, equal or not."""


class Pieces(list[Json]):
    """Entries that several events sent under one of the names above."""


def gather(into: dict[str, Json], key: str, value: Json) -> None:
    """Lists are joined, objects merged, texts collected, numbers replaced; a null adds nothing."""
    kept = into.get(key)
    if value is None:
        into.setdefault(key, None)
    elif isinstance(value, str) and key in LABELS:
        into[key] = value or kept or ""
    elif isinstance(value, str):
        _gather_text(into, key, value)
    elif isinstance(value, list):
        _gather_list(into, key, value)
    elif isinstance(value, dict):
        merged = into[key] = kept if isinstance(kept, dict) else {}
        for name, item in value.items():
            gather(merged, name, item)
    else:
        into[key] = value


def lay_over(kept: Json, value: Json) -> Json:
    """Objects are laid over each other, name by name; else the last that is not null holds.

    What is kept is made here and changed in place: an object that grows by a name with every event
    would otherwise be copied as often.
    """
    if value is None and kept is not UNSET:
        return kept
    if not isinstance(value, dict):
        return value
    laid = kept if isinstance(kept, dict) else {}
    for name, item in value.items():
        laid[name] = lay_over(laid.get(name, UNSET), item)
    return laid


def settled(value: Json) -> Json:
    """What was gathered, as plain JSON that does not change when more is gathered."""
    if isinstance(value, Parts):
        is_label = len(set(value)) == 1 and not isinstance(value, Grown)
        return value[0] if is_label else joined(value)
    if isinstance(value, Pieces):
        return put_together(value)
    if isinstance(value, dict):
        return {name: settled(item) for name, item in value.items()}
    return list(value) if isinstance(value, list) else value


def _gather_text(into: dict[str, Json], key: str, value: str) -> None:
    kept = into.get(key)
    if isinstance(kept, Parts):
        kept.append(value)
    else:
        into[key] = (Grown if key in GROWING else Parts)([value])


def _gather_list(into: dict[str, Json], key: str, value: list[Json]) -> None:
    kept = into.get(key)
    if isinstance(kept, list) and not isinstance(kept, Parts):
        if key in PIECED and not isinstance(kept, Pieces):
            kept = into[key] = Pieces(kept)
        kept.extend(value)
    else:
        into[key] = list(value)
