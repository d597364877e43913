"""The stored form of all that was read of a capture: analysis, tape and snapshots, bounded,
compressed, equal on every database. A worker packs it once; whatever shows it loads it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET
from zstandard import ZstdError

from inspector.archive.storage.compression import compressed, decompressed
from inspector.archive.storage.value_memory import memory_of
from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, known
from inspector.core.decoded_types import built
from inspector.core.fields.logprobs import token_count
from inspector.core.json.pointer import escape_step
from inspector.core.readout import Readout
from inspector.core.tape import Snapshots, Tape

READOUT_BYTES = 32 << 20
"""Most bytes of a readout that is kept whole, before they are compressed."""
READOUT_MEMORY = 128 << 20
"""Most memory that it takes where it is loaded; a value of one byte takes 64."""
SMALL_BYTES = 1 << 20
"""A readout of so many bytes cannot take more memory than that."""
TEXT_CHARACTERS = 65_536
"""Characters of a text in a readout that must be cut: a page of text; the bytes have the rest."""
LIST_ITEMS = 1_000
"""As above, of a list or object; docs/limits.md tells both."""
MEMBER_CHARACTERS = 1_000_000
"""Most characters of one member of a cut analysis, such as all choices, findings or extras."""
VALUE_CHARACTERS = 8
"""Characters a value counts beside its text: commas, brackets, digits."""
SHORT_CHARACTERS = 1_000
"""A text of ours, a code among them, is not cut to less."""
FREE_FORM_MEMBERS = frozenset({
    "annotations", "completion", "cost", "cost_details", "extras", "feedback_token",
    "citations", "finish_reason", "identity", "logprobs", "places", "value",
})  # fmt: skip
"""Members whose structure the payload defines: they can be cut anywhere."""


class TruncatedValue(msgspec.Struct, frozen=True):
    """A value that is kept only in part, or (logprobs) not at all.

    ``length`` is its whole length: characters, entries or, of logprobs, tokens.
    """

    pointer: str
    length: int


class StoredReadout(msgspec.Struct, frozen=True):
    """A readout as the archive keeps it. One over the bound is cut: its ``tape`` and its completion
    are None, logprobs are left out, and ``cuts`` names what is kept in part.
    """

    analysis: Analysis
    tape: Tape | None = None
    snapshots: Snapshots = {}
    cuts: tuple[TruncatedValue, ...] = ()


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(built(StoredReadout))


def pack(found: Readout) -> bytes:
    whole = StoredReadout(found.analysis, found.tape, found.snapshots)
    encoded = _encoded(whole)
    return compressed(encoded if _is_within(encoded, whole) else _encoded(cut(whole)))


def pack_stored(stored: StoredReadout) -> bytes:
    """Pack what was loaded and made smaller."""
    return compressed(_encoded(stored))


def without_tape(packed: bytes) -> bytes | None:
    """Return the analysis alone, packed; None where it cannot be loaded."""
    stored = load(packed)
    return pack_stored(StoredReadout(stored.analysis, cuts=stored.cuts)) if stored else None


def load(packed: bytes) -> StoredReadout | None:
    """None where it is damaged, or another release wrote it in an unknown shape."""
    try:
        return _decoded(decompressed(packed))
    except (ZstdError, msgspec.DecodeError, ValueError, RecursionError):
        return None


def bounded(whole: StoredReadout) -> StoredReadout:
    """Cut if it is over the bound."""
    return whole if _is_within(_encoded(whole), whole) else cut(whole)


def _encoded(stored: StoredReadout) -> bytes:
    try:
        return _encoder.encode(stored)
    except (UnicodeEncodeError, OverflowError):
        # A lone surrogate or a number of more than 64 bits, which JSON has.
        return json.dumps(
            msgspec.to_builtins(stored, str_keys=True), separators=(",", ":")
        ).encode()


def _decoded(data: bytes) -> StoredReadout:
    # An object of msgpack begins otherwise.
    if data[:1] == b"{":
        return msgspec.convert(json.loads(data), built(StoredReadout), str_keys=True)
    return _decoder.decode(data)


def _is_within(encoded: bytes, whole: StoredReadout) -> bool:
    if len(encoded) <= SMALL_BYTES:
        return True
    return len(encoded) <= READOUT_BYTES and memory_of(whole, READOUT_MEMORY) <= READOUT_MEMORY


def cut(whole: StoredReadout) -> StoredReadout:
    """Without tape, completion and logprobs, and with long values cut."""
    analysis = whole.analysis
    cuts = [
        TruncatedValue(f"/choices/{position}/logprobs", token_count(choice))
        for position, choice in enumerate(analysis.choices[:LIST_ITEMS])
        if known(choice.logprobs)
    ]
    # Each member has a limit of its own, so that many choices leave the findings intact.
    members = {
        name: _Cutter(cuts=cuts).cut(item, f"/{name}", is_free=name in FREE_FORM_MEMBERS)
        for name, item in msgspec.to_builtins(_without_bulk(analysis)).items()
    }
    return StoredReadout(msgspec.convert(members, built(Analysis)), cuts=tuple(cuts))


def _without_bulk(analysis: Analysis) -> Analysis:
    choices = tuple(map(_without_logprobs, analysis.choices))
    return msgspec.structs.replace(analysis, completion=None, choices=choices)


def _without_logprobs(choice: Choice) -> Choice:
    if not known(choice.logprobs):
        return choice
    return msgspec.structs.replace(choice, logprobs=UNSET)


@dataclass(slots=True)
class _Cutter:
    """Cuts long texts, and lists and free-form objects once ``room`` is used up."""

    room: int = MEMBER_CHARACTERS
    cuts: list[TruncatedValue] = field(default_factory=list)

    def cut(self, value: Any, pointer: str, *, is_free: bool = False) -> Any:
        if isinstance(value, str):
            return self._text(value, pointer, is_free=is_free)
        self.room -= VALUE_CHARACTERS
        if isinstance(value, list | tuple):
            return self._list(value, pointer, is_free=is_free)
        if isinstance(value, dict):
            return self._object(value, pointer, is_free=is_free)
        return value

    def _text(self, text: str, pointer: str, *, is_free: bool) -> str:
        least = 0 if is_free else SHORT_CHARACTERS
        shortened = self._shortened(text, min(TEXT_CHARACTERS, max(self.room, least)), pointer)
        self.room -= len(shortened)
        return shortened

    def _list(self, values: Sequence[Any], pointer: str, *, is_free: bool) -> list[Any]:
        members: list[Any] = []
        for number, item in enumerate(values[:LIST_ITEMS]):
            if self.room <= 0:
                break
            members.append(self.cut(item, f"{pointer}/{number}", is_free=is_free))
        self._note(pointer, len(values), len(members))
        return members

    def _object(self, value: dict[str, Any], pointer: str, *, is_free: bool) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for name, item in islice(value.items(), LIST_ITEMS):
            if is_free and self.room <= 0:
                break
            self.room -= len(name)
            free = is_free or name in FREE_FORM_MEMBERS
            members[name] = self.cut(item, f"{pointer}/{escape_step(name)}", is_free=free)
        self._note(pointer, len(value), len(members))
        return members

    def _shortened(self, text: str, limit: int, pointer: str) -> str:
        self._note(pointer, len(text), min(len(text), limit))
        return text[:limit]

    def _note(self, pointer: str, length: int, kept_length: int) -> None:
        if kept_length < length:
            self.cuts.append(TruncatedValue(pointer, length))
