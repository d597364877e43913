"""How a JSON text spells its values: money and argument objects are shown as they were sent."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import msgspec

from inspector.core.completion import Json
from inspector.core.framing import BOM

Path = tuple[str | int, ...]


class Spelling:
    """The exact bytes of the values inside one JSON text; each object and list is opened once."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._opened: dict[Path, Any] = {}

    def at(self, path: Path) -> bytes | None:
        """None where nothing stands there."""
        try:
            return bytes(self._raw(path)).strip()
        except (msgspec.MsgspecError, LookupError, TypeError, UnicodeDecodeError, RecursionError):
            return self._read_slowly(path)

    def _raw(self, path: Path) -> msgspec.Raw:
        if not path:
            return msgspec.Raw(self.text.removeprefix(BOM))
        *_, step = path
        around = path[:-1]
        if around not in self._opened:
            shape = list[msgspec.Raw] if isinstance(step, int) else dict[str, msgspec.Raw]
            self._opened[around] = msgspec.json.decode(self._raw(around), type=shape)
        found: msgspec.Raw = self._opened[around][step]
        return found

    def _read_slowly(self, path: Path) -> bytes | None:
        """The same beside a fault that only the slow reader bears: numbers keep their spelling."""
        spelling, value = self._slowly
        try:
            for step in path:
                spelling, value = spelling[step], value[step]
        except (LookupError, TypeError):
            return None
        return _written(spelling, value).encode()

    @cached_property
    def _slowly(self) -> tuple[Json, Json]:
        source = self.text.decode("utf-8-sig", errors="replace")
        try:
            return _with_spelt_numbers(source), json.loads(source)
        except (ValueError, RecursionError):
            return None, None


def spelt(raw: bytes) -> Json:
    """A value whose numbers are the texts that were sent: money is never a float."""
    return _with_spelt_numbers(raw.decode(errors="replace"))


def _with_spelt_numbers(text: str) -> Json:
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)


def _written(spelling: Json, value: Json) -> str:
    """A value as JSON; ``spelling`` is the same one with its numbers as texts."""
    if isinstance(value, dict):
        members = (
            f"{json.dumps(name)}:{_written(spelling[name], it)}" for name, it in value.items()
        )
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_written, spelling, value))}]"
    return spelling if value.__class__ in (int, float) else json.dumps(value)
