"""Reads tokens with log probabilities, in both of their formats.

Chat answers list objects under ``content`` and ``refusal`` (WorkflowAI's reference); legacy
completions send four parallel arrays, each of them optional (OpenAI's completions reference). Each
token is placed on the characters it stands for. One character may take several tokens, which then
share its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice, pairwise
from typing import TypeGuard

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.completion import Choice, known, list_or_empty
from inspector.core.json import Json
from inspector.core.limits import MAX_ALTERNATIVES, MAX_TOKENS

SENTINEL = -9999.0
"""Stands for "too unlikely" in the provider's reference; it is not a measured value."""
NEARLY_CERTAIN = 1e-6
"""A log probability above 0 by no more than this is a rounded 0."""

MAX_EXACT = 2**53
"""A float holds every whole number up to it; a larger one would be compared rounded."""

# As in "\xf0", as some servers write half a character.
_SPELT_BYTE = re.compile(rb"\\x([0-9a-fA-F]{2})")


class LogprobsPart(StrEnum):
    """The text of a choice that tokens belong to."""

    CONTENT = "content"
    REFUSAL = "refusal"
    TEXT = "text"


class TokenAlternative(msgspec.Struct, frozen=True):
    token: Json
    logprob: Json


class LogprobToken(msgspec.Struct, frozen=True, kw_only=True):
    """One token. ``text`` and ``logprob`` are as sent: of any type, null, or absent.

    ``start`` and ``end`` are its place in the choice's text, in characters, alone or shared with
    its neighbours; null if it does not fit there.
    """

    part: LogprobsPart
    position: int
    """Position in the list it was sent in."""
    text: Json | UnsetType = UNSET
    logprob: Json | UnsetType = UNSET
    alternatives: tuple[TokenAlternative, ...] = ()
    bytes: Json | UnsetType = UNSET
    """UTF-8 bytes of the token as sent: a list of numbers, null or absent."""
    text_offset: Json | UnsetType = UNSET
    start: int | None = None
    end: int | None = None

    @property
    def is_sentinel(self) -> bool:
        return is_number(self.logprob) and self.logprob == SENTINEL

    @property
    def is_positive(self) -> bool:
        return is_number(self.logprob) and self.logprob > NEARLY_CERTAIN

    @property
    def is_malformed(self) -> bool:
        """True if the token is not a text, or its logprob neither a number nor null."""
        is_text = self.text is UNSET or isinstance(self.text, str)
        return not is_text or (known(self.logprob) and not is_number(self.logprob))


class Logprobs(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of one choice. ``aligned``: for each part whether they join to its text."""

    choice: int
    tokens: tuple[LogprobToken, ...] = ()
    aligned: Mapping[LogprobsPart, bool] = {}
    offsets_fit: bool = True
    """``text_offset`` agrees with the lengths of the tokens, or was not sent."""
    lengths: Mapping[str, int] = {}
    """Lengths of the legacy arrays that were sent."""
    entries_left_out: int = 0
    """Number of entries of ``content`` and ``refusal`` that are not objects."""
    tokens_beyond: int = 0
    """Number of tokens beyond the limit, which were not read."""
    alternatives_beyond: int = 0

    @property
    def lengths_differ(self) -> bool:
        return len(set(self.lengths.values())) > 1


def read_logprobs(choice: Choice, most: int = MAX_TOKENS) -> Logprobs:
    """Read at most ``most`` tokens. Linear in what was sent; never raises."""
    sent = choice.logprobs
    if not isinstance(sent, dict):
        return Logprobs(choice=choice.index)
    if any(isinstance(sent.get(name), list) for name in LEGACY):
        return _legacy(choice, sent, most)
    tokens: list[LogprobToken] = []
    aligned: dict[LogprobsPart, bool] = {}
    left_out = beyond = alternatives = 0
    for part, text in (
        (LogprobsPart.CONTENT, choice.content),
        (LogprobsPart.REFUSAL, choice.refusal),
    ):
        entries = list_or_empty(sent.get(part))
        found = [(n, entry) for n, entry in enumerate(entries) if isinstance(entry, dict)]
        left_out += len(entries) - len(found)
        taken = found[: most - len(tokens)]
        beyond += len(found) - len(taken)
        if taken:
            places = _Places([_spellings(entry) for _, entry in taken], text)
            aligned[part] = places.is_whole if len(taken) == len(found) else places.all_fit
            tokens += _chat_tokens(part, taken, places)
            alternatives += sum(map(_beyond, (entry.get("top_logprobs") for _, entry in taken)))
    return Logprobs(
        choice=choice.index,
        tokens=tuple(tokens),
        aligned=aligned,
        entries_left_out=left_out,
        tokens_beyond=beyond,
        alternatives_beyond=alternatives,
    )


def token_count(choice: Choice) -> int:
    """Count the tokens that ``read_logprobs`` finds, without placing them."""
    sent = choice.logprobs
    if not isinstance(sent, dict):
        return 0
    if any(isinstance(sent.get(name), list) for name in LEGACY):
        return max(len(list_or_empty(sent.get(name))) for name in LEGACY)
    entries = (
        entry
        for part in (LogprobsPart.CONTENT, LogprobsPart.REFUSAL)
        for entry in list_or_empty(sent.get(part))
    )
    return sum(isinstance(entry, dict) for entry in entries)


def is_number(value: Json) -> TypeGuard[int | float]:
    """Return True for a number, except integers too large for a float to hold exactly."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= MAX_EXACT
    return isinstance(value, float)


# -- chat -----------------------------------------------------------------------------------------


def _chat_tokens(
    part: LogprobsPart, entries: Sequence[tuple[int, dict[str, Json]]], places: _Places
) -> Iterator[LogprobToken]:
    for (position, entry), (start, end) in zip(entries, places.of, strict=True):
        sent = list_or_empty(entry.get("top_logprobs"))[:MAX_ALTERNATIVES]
        tops = [top for top in sent if isinstance(top, dict)]
        yield LogprobToken(
            part=part,
            position=position,
            text=entry.get("token", UNSET),
            logprob=entry.get("logprob", UNSET),
            alternatives=tuple(
                TokenAlternative(top.get("token"), top.get("logprob")) for top in tops
            ),
            bytes=entry.get("bytes", UNSET),
            start=start,
            end=end,
        )


def _beyond(alternatives: Json) -> int:
    """Return the number of alternatives beyond the limit per token."""
    sent = len(alternatives) if isinstance(alternatives, list | dict) else 0
    return max(sent - MAX_ALTERNATIVES, 0)


def _spellings(entry: Mapping[str, Json]) -> tuple[bytes, ...]:
    """Byte strings that a token may stand for, the most certain first."""
    sent = entry.get("bytes")
    if isinstance(sent, list):
        try:
            return (bytes(sent),)
        except (TypeError, ValueError, OverflowError):
            pass
    return _token_bytes(entry.get("token"))


def _token_bytes(token: Json) -> tuple[bytes, ...]:
    """Bytes of a token; in legacy completions ``bytes:`` with escapes is part of a character."""
    if not isinstance(token, str):
        return ()
    spelling = token.encode(errors="surrogatepass")
    if not spelling.startswith(b"bytes:"):
        return (spelling,)
    part = _SPELT_BYTE.sub(lambda byte: bytes.fromhex(byte[1].decode()), spelling[6:])
    return spelling, part


# -- legacy ---------------------------------------------------------------------------------------

LEGACY = ("tokens", "token_logprobs", "top_logprobs", "text_offset")


def _legacy(choice: Choice, sent: Mapping[str, Json], most: int) -> Logprobs:
    arrays = {name: list_or_empty(sent.get(name)) for name in LEGACY}
    lengths = {
        name: len(items) for name, items in arrays.items() if isinstance(sent.get(name), list)
    }
    longest = max(lengths.values())
    total = min(longest, most)
    tokens, values, tops, offsets = (_fill(arrays[name], total) for name in LEGACY)
    if arrays["tokens"]:
        places = _Places([_token_bytes(token) for token in tokens], choice.text)
        of, is_whole = places.of, places.is_whole if total == longest else places.all_fit
        offsets_fit = _fit(of, offsets)
    else:
        of = _place_by_offsets(offsets, choice.text)
        is_whole = offsets_fit = bool(of) and all(start is not None for start, _ in of)
    made = (
        LogprobToken(
            part=LogprobsPart.TEXT,
            position=position,
            text=tokens[position],
            logprob=values[position],
            alternatives=_alternatives(tops[position]),
            text_offset=offsets[position],
            start=start,
            end=end,
        )
        for position, (start, end) in enumerate(of)
    )
    return Logprobs(
        choice=choice.index,
        tokens=tuple(made),
        aligned={LogprobsPart.TEXT: is_whole} if total else {},
        offsets_fit=offsets_fit,
        lengths=lengths,
        tokens_beyond=longest - total,
        alternatives_beyond=sum(map(_beyond, tops)),
    )


def _fill(items: list[Json], total: int) -> list[Json | UnsetType]:
    return items[:total] + [UNSET] * (total - len(items))


def _alternatives(top: Json) -> tuple[TokenAlternative, ...]:
    if not isinstance(top, dict):
        return ()
    first = islice(top.items(), MAX_ALTERNATIVES)
    return tuple(TokenAlternative(token, logprob) for token, logprob in first)


def _fit(places: Sequence[TokenPlace], offsets: Sequence[Json]) -> bool:
    """Return True if offsets grow with the tokens, from the prompt's length or 0 in each chunk."""
    first = base = None
    for (start, _), offset in zip(places, offsets, strict=True):
        if start is None or not _is_count(offset):
            continue
        if offset - start != base:
            if base is not None and offset != first:
                return False
            base = offset - start
            first = offset if first is None else first
    return True


def _place_by_offsets(offsets: Sequence[Json], text: Json) -> list[TokenPlace]:
    if not isinstance(text, str) or not offsets or not all(map(_is_count, offsets)):
        return [(None, None)] * len(offsets)
    starts = [offset - offsets[0] for offset in offsets] + [len(text)]
    if any(later < start for start, later in pairwise(starts)):
        return [(None, None)] * len(offsets)
    return list(pairwise(starts))


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


# -- both -----------------------------------------------------------------------------------------

TokenPlace = tuple[int, int] | tuple[None, None]


class _Places:
    """Places tokens in a text one after the other. Tokens that do not fit are skipped."""

    def __init__(self, spellings: Sequence[tuple[bytes, ...]], text: Json) -> None:
        self.of: list[TokenPlace] = [(None, None)] * len(spellings)
        self._text = text.encode(errors="surrogatepass") if isinstance(text, str) else b""
        self._byte = 0
        self._group: list[int] = []
        self._group_byte = self._group_start = 0
        fitting = sum(self._take(number, options) for number, options in enumerate(spellings))
        self.all_fit = fitting == len(spellings)
        self.is_whole = self.all_fit and self._byte == len(self._text)

    def _take(self, number: int, options: tuple[bytes, ...]) -> bool:
        spelling = next((o for o in options if self._text.startswith(o, self._byte)), None)
        if spelling is None:
            return False
        self._byte += len(spelling)
        self._group.append(number)
        if self._byte == len(self._text) or self._text[self._byte] & 0xC0 != 0x80:
            self._close_group()
        return True

    def _close_group(self) -> None:
        """End a character: all tokens since the last end share its place."""
        text = self._text[self._group_byte : self._byte].decode(errors="surrogatepass")
        end = self._group_start + len(text)
        for number in self._group:
            self.of[number] = (self._group_start, end)
        self._group.clear()
        self._group_byte, self._group_start = self._byte, end
