"""The exact spelling of values in a JSON text: money and argument objects are shown as sent."""

import json
from typing import Any

import msgspec
from msgspec import UNSET

from inspector.core.computed_once import computed_once
from inspector.core.json import Json
from inspector.core.wire.framing import BOM

Path = tuple[str | int, ...]
_open_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_with_raw_numbers = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).decode
_open_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


class RawValue(msgspec.Struct, frozen=True):
    """A value with its place and the text around it, from which its exact spelling can be read."""

    value: Json = UNSET
    at: int | str | None = None
    """JSON Pointer in a whole body, event number in a stream."""
    text: bytes = b""
    path: tuple[str | int, ...] = ()


class RawValues:
    """Returns the exact bytes of values inside a JSON text. Each container is parsed once."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._opened: dict[Path, Any] = {}

    def at(self, path: Path) -> bytes | None:
        """Return the bytes of the value at a path, None if there is none."""
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
            open_ = _open_list if isinstance(step, int) else _open_object
            self._opened[around] = open_(self._raw(around))
        found: msgspec.Raw = self._opened[around][step]
        return found

    def _read_slowly(self, path: Path) -> bytes | None:
        """Do the same as ``at`` for texts that the fast parser refuses. Numbers keep their
        spelling; white space and escapes may not.
        """
        spelling, value = self._slowly
        try:
            for step in path:
                spelling, value = spelling[step], value[step]
        except (LookupError, TypeError):
            return None
        return _encode(spelling, value).encode()

    @computed_once
    def _slowly(self) -> tuple[Json, Json]:
        source = self.text.decode("utf-8-sig", errors="replace")
        try:
            return _replace_numbers(source), json.loads(source)
        except (ValueError, RecursionError):
            return None, None


def with_raw_numbers(raw: bytes) -> Json:
    """Parse a value with its numbers as text, so that money never becomes a float."""
    return _replace_numbers(raw.decode(errors="replace"))


def _replace_numbers(text: str) -> Json:
    return _with_raw_numbers(text)


def _encode(spelling: Json, value: Json) -> str:
    """Encode a value as JSON; ``spelling`` is the same value with its numbers as text."""
    if isinstance(value, dict):
        members = (
            f"{json.dumps(name)}:{_encode(spelling[name], it)}" for name, it in value.items()
        )
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_encode, spelling, value))}]"
    return spelling if value.__class__ in (int, float) else json.dumps(value)
