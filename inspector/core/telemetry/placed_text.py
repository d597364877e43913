"""A text that knows where it stands in the record, so that its bytes can be shown."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.core.json import Json

Path = tuple[str | int, ...]
Places = Mapping[Path, Path]
"""Where texts of the told answer stand in the record."""


class PlacedText(str):
    """A text as the record has it: what is read out of it, such as JSON, has no place."""

    at: Path

    def __new__(cls, text: str, at: Path) -> PlacedText:
        made = super().__new__(cls, text)
        made.at = at
        return made


def plain(value: Json, path: Path, places: dict[Path, Path]) -> Json:
    """Return the same value of plain texts; the places of these are added to ``places``."""
    if isinstance(value, PlacedText):
        places[path] = value.at
        return str(value)
    if isinstance(value, dict):
        return {str(name): plain(item, (*path, name), places) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item, (*path, at), places) for at, item in enumerate(value)]
    return value
