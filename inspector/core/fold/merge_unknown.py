"""Merges fields that no document defines over all events, so that nothing sent is lost."""

from collections.abc import Mapping

from msgspec import UNSET

from inspector.core.fold.content_parts import GROWING, join_entries
from inspector.core.fold.growing_text import GrowingEntry, join_pieces
from inspector.core.json import Json

LABELS = frozenset({"channel", "id", "name", "status", "type"})
"""Names of texts that are repeated and never grow; the last one is kept."""
GROWING_TEXTS = frozenset({"data", "transcript"})
"""Names of texts that always grow, even by equal pieces (two equal pieces of audio)."""
LISTS_IN_PIECES = frozenset({"executed_tools", "reasoning_details", "thinking_blocks"})
"""Names of lists whose entries come in pieces."""


SCALARS = frozenset({str, int, float, bool, type(None)})


class TextPieces(list[str]):
    """Texts sent under one unknown name: one label if all are equal, pieces of a text otherwise."""


class GrownTextPieces(TextPieces):
    """Pieces of one text, even if they are equal."""


class EntryPieces(list[Json]):
    """Entries that several events sent in a list of ``LISTS_IN_PIECES``."""


def merge_field(into: dict[str, Json], key: str, value: Json) -> None:
    """Merge a field of a message: join lists, merge objects, collect texts, replace numbers. A null
    adds nothing.
    """
    kept = into.get(key)
    if value is None:
        into.setdefault(key, None)
    elif isinstance(value, str) and key in LABELS:
        into[key] = value or kept or ""
    elif isinstance(value, str):
        _merge_text(into, key, value)
    elif isinstance(value, list):
        _merge_list(into, key, value)
    elif isinstance(value, dict):
        merged = into[key] = kept if isinstance(kept, dict) else {}
        for name, item in value.items():
            merge_field(merged, name, item)
    else:
        into[key] = value


def growing_entry(kept: Json, value: Json) -> GrowingEntry | None:
    """Return a list's entry that came in pieces, if it is the only one and has one growing text."""
    if not isinstance(kept, EntryPieces) or len(value) != 1 or not isinstance(value[0], dict):
        return None
    growing = [name for name in GROWING if name in value[0]]
    is_text = len(growing) == 1 and isinstance(value[0][growing[0]], str)
    return GrowingEntry(kept, value[0], growing[0]) if is_text else None


def merge_values(kept: Json, value: Json) -> Json:
    """Merge objects name by name. Of other values the later one is kept, unless it is null."""
    if value is None and kept is not UNSET:
        return kept
    if not isinstance(value, dict):
        return value
    # Changed in place (it was made here): copying an object that grows by a name with every event
    # would take quadratic time.
    laid = kept if isinstance(kept, dict) else {}
    for name, item in value.items():
        # Most members are of this kind.
        is_plain = item is not None and item.__class__ in SCALARS
        laid[name] = item if is_plain else merge_values(laid.get(name, UNSET), item)
    return laid


def merged_value(value: Json) -> Json:
    """Return the merged value as plain JSON, a copy that later merging does not change."""
    if value.__class__ in SCALARS:
        return value
    if isinstance(value, TextPieces):
        # An unknown text that is always the same is a label, not a text that repeats itself.
        is_label = len(set(value)) == 1 and not isinstance(value, GrownTextPieces)
        return value[0] if is_label else join_pieces(value)
    if isinstance(value, EntryPieces):
        return join_entries(value)
    if isinstance(value, dict):
        return merged_fields(value)
    return list(value) if isinstance(value, list) else value


def merged_fields(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return merged fields as plain JSON, each as ``merged_value`` does."""
    return {
        name: value if value.__class__ in SCALARS else merged_value(value)
        for name, value in fields.items()
    }


def _merge_text(into: dict[str, Json], key: str, value: str) -> None:
    kept = into.get(key)
    if isinstance(kept, TextPieces):
        kept.append(value)
    else:
        into[key] = (GrownTextPieces if key in GROWING_TEXTS else TextPieces)([value])


def _merge_list(into: dict[str, Json], key: str, value: list[Json]) -> None:
    kept = into.get(key)
    if isinstance(kept, list) and not isinstance(kept, TextPieces):
        if key in LISTS_IN_PIECES and not isinstance(kept, EntryPieces):
            kept = into[key] = EntryPieces(kept)
        kept.extend(value)
    else:
        into[key] = list(value)
