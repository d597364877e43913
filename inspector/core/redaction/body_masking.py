"""Overwrites in a body what rules name, byte for byte.

The body is searched as decoded texts: each string of its JSON, strings of successive events that
are one growing text, JSON inside of these, and what stands between strings. A hit leads back to the
bytes that spell it, as provenance does. All other bytes keep their place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

from inspector.core.redaction.body_texts import (
    BodySegment,
    BodyTexts,
    body_texts,
    is_machine_word,
    is_short,
)
from inspector.core.redaction.decoded_text import DecodedText, SpeltPiece, decoded_text, levels
from inspector.core.redaction.json_tokens import JsonFrame, JsonString, json_tokens
from inspector.core.redaction.mask_rules import RuleHit, RuleSet
from inspector.core.redaction.path_matches import matched_strings, matched_values
from inspector.core.redaction.wide_body import WideText, unit_bytes, wide_ranges, wide_text, widened
from inspector.core.wire.event_data import ByteRange
from inspector.core.wire.event_frames import CHECKSUM

STAR = b"*"
OVERWRITTEN = b"*1"
DIGITS = bytes.maketrans(b"0123456789", b"1111111111")
"""Digits of a number become others: ``*`` would break the JSON. No run of them is a card's number.
"""

# As in "event: message_start", "data:", "true" and "NaN": without them it is no stream, no JSON.
_TO_KEEP = re.compile(
    r"^[ >]*(?:event: ?[\w.-]*+(?=\r?$)|(?:data|id|retry)?:)"
    r"|(?<![\w.])(?:true|false|null|NaN|Infinity)(?!\w)",
    re.MULTILINE,
)
# Names below which tokens spell the text once more, with the words that were masked in it.
_LOGPROBS = re.compile("logprobs|token_ids|completion_probabilities")
_LOGPROB_FIELDS = frozenset({
    b"bytes", b"candidates", b"chosenCandidates", b"content", b"decoded_token", b"id",
    b"logProbability", b"logprob", b"logprobs", b"probs", b"rank", b"refusal", b"text",
    b"text_offset", b"tok_str", b"token", b"tokenId", b"token_ids", b"token_logprobs", b"tokens",
    b"topCandidates", b"top_logprobs",
})  # fmt: skip
"""Names of members below log probabilities; every other name there is a token."""
# As in "bytes.0", "prompt_token_ids.3", "logprobs.tokenId".
_SPELLS_TOKEN = re.compile(r"^bytes\.|^\w*token_ids\.|\.(?:id|tokenId)$")
_NEIGHBOURS = 40
"""Within so many characters stands the name or word that a hit is a part of (`_TO_KEEP`)."""
# Bytes that were marked, one behind the other.
_RUN = re.compile(b"\1+")
# As in ": " in front of a number.
_NUMBER_BEFORE = re.compile(r"[:,\[][ \t\r\n]*\Z")
# As in "," behind it.
_NUMBER_BEHIND = re.compile(r"[ \t\r\n]*(?:[,}\]]|\Z)")


@dataclass(frozen=True, slots=True)
class Passage:
    """Bytes that spell one hit of a rule, in their order; apart where it was sent in parts."""

    rule: int
    ranges: tuple[ByteRange, ...]


@dataclass(frozen=True, slots=True)
class MaskedBody:
    """``passages`` in the order of their bytes."""

    body: bytes
    passages: tuple[Passage, ...] = ()

    @property
    def places(self) -> Counter[int]:
        """How many passages each rule overwrote, by its id."""
        return Counter(passage.rule for passage in self.passages)


def masked_body(body: bytes, rules: RuleSet) -> MaskedBody:
    """Return the body itself where nothing was found. Never raises, and is linear in the body."""
    if not body or not rules:
        return MaskedBody(body)
    if wide := wide_text(body):
        return _masked_wide(body, wide, _mask(wide.utf8, rules))
    return _mask(body, rules).masked()


class Member(NamedTuple):
    """A text, number or name in a segment's JSON. ``order``: of a name, which one of its object."""

    start: int
    end: int
    is_number: bool = False
    order: int | None = None


def overwritten_body(body: bytes, found_in: Callable[[BodySegment], Iterable[Member]]) -> bytes:
    """Overwrite what is found in each segment of a body. Never raises."""
    if wide := wide_text(body):
        return _masked_wide(body, wide, _overwrite(wide.utf8, found_in)).body
    return _overwrite(body, found_in).masked().body


def _overwrite(body: bytes, found_in: Callable[[BodySegment], Iterable[Member]]) -> _Mask:
    mask, texts = _Mask(body), body_texts(body)
    for segment in texts.segments:
        for each in found_in(segment):
            place = segment.start + each.start, segment.start + each.end
            mask.add(0, [place], is_number=each.is_number)
            if each.order is not None:
                mask.tell_apart(place, each.order)
    mask.renew_checksums(texts.segments)
    return mask


def _masked_wide(body: bytes, wide: WideText, mask: _Mask) -> MaskedBody:
    masked = mask.masked()
    made, unit = bytearray(body), unit_bytes(wide.encoding)
    places = wide_ranges(wide, mask.touched())
    for (start, end), (first, last) in places.items():
        made[first:last] = widened(masked.body[start:end], (last - first) // unit, wide.encoding)
    found = wide_ranges(wide, (each for passage in masked.passages for each in passage.ranges))
    moved = (
        Passage(each.rule, tuple(found[one] for one in each.ranges)) for each in masked.passages
    )
    return MaskedBody(bytes(made), tuple(moved))


def _mask(body: bytes, rules: RuleSet) -> _Mask:
    """Return a body with what the rules name overwritten."""
    mask = _Mask(body)
    texts = body_texts(body)
    _mask_growing(texts, rules, mask)
    for segment in texts.segments:
        _mask_alone(segment, rules, mask)
        _mask_between(segment, rules, mask)
    _mask_paths(texts, rules, mask)
    if mask.is_changed:
        for segment in texts.segments:
            _overwrite_logprobs(segment, mask)
    mask.renew_checksums(texts.segments)
    return mask


class _Mask:
    """A copy of a body that is overwritten bit by bit."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self._made = bytearray(body)
        self._touched = bytearray(len(body))
        self._passages: list[Passage] = []

    def add(self, rule: int, ranges: Sequence[ByteRange], *, is_number: bool = False) -> None:
        # Counted once, whichever of the texts in which it stands is searched first, and never for
        # what was overwritten before.
        is_new = any(0 in self._touched[start:end] for start, end in ranges)
        if is_new and any(self._made[start:end].strip(OVERWRITTEN) for start, end in ranges):
            self._passages.append(Passage(rule, tuple(ranges)))
            self.cover(ranges, is_number=is_number)

    def cover(self, ranges: Iterable[ByteRange], *, is_number: bool = False) -> None:
        """Overwrite without counting a passage."""
        for start, end in ranges:
            # Signs, points and exponents of a number stay, so that it stays one.
            masked = self._made[start:end].translate(DIGITS) if is_number else STAR * (end - start)
            self._made[start:end] = masked
            self._touched[start:end] = b"\1" * (end - start)

    def tell_apart(self, place: ByteRange, order: int) -> None:
        """Names of one object stay different where they are overwritten."""
        start, end = place
        number = str(order).encode()[: end - start]
        self._made[end - len(number) : end] = number

    @property
    def is_changed(self) -> bool:
        return bool(self._passages)

    def touched(self) -> Iterator[ByteRange]:
        return (found.span() for found in _RUN.finditer(self._touched))

    def renew_checksums(self, segments: Iterable[BodySegment]) -> None:
        for segment in segments:
            _renew_checksum(self._made, segment, self.body)

    def masked(self) -> MaskedBody:
        if not self._passages:
            return MaskedBody(self.body)
        in_order = sorted(self._passages, key=lambda one: one.ranges)
        return MaskedBody(bytes(self._made), tuple(in_order))


def _renew_checksum(made: bytearray, segment: BodySegment, body: bytes) -> None:
    """Mend the checksums. A frame whose checksum was right keeps being right."""
    if segment.frame is None:
        return
    start, end = segment.frame
    last = end - CHECKSUM
    was_right = crc32(body[start:last]) == int.from_bytes(body[last:end])
    if was_right and made[start:last] != body[start:last]:
        made[last:end] = crc32(made[start:last]).to_bytes(CHECKSUM)


# -- presets and words ----------------------------------------------------------------------------


def _mask_growing(texts: BodyTexts, rules: RuleSet, mask: _Mask) -> None:
    for pieces in texts.growing():
        text = decoded_text(mask.body, pieces)
        if not text.is_repeated:
            _mask_text(text, rules, mask)


def _mask_alone(segment: BodySegment, rules: RuleSet, mask: _Mask) -> None:
    known: dict[tuple[bytes, bool], bool] = {}
    for each in segment.tokens.strings:
        start, end = segment.start + each.start, segment.start + each.end
        piece = SpeltPiece(start, end)
        if each.frame is not None and is_short(piece):
            continue
        spelt = mask.body[start:end]
        if known.get((spelt, each.is_name)) is False or is_machine_word(each, spelt):
            continue
        text = decoded_text(mask.body, [piece])
        # What stands in every event is searched once.
        is_found = _mask_text(text, rules, mask, words=not each.is_name)
        known[spelt, each.is_name] = is_found


def _mask_text(text: DecodedText, rules: RuleSet, mask: _Mask, *, words: bool = True) -> bool:
    """Return False where nothing was found."""
    is_json = text.text.lstrip()[:1] in ("{", "[")
    is_found = False
    for level in levels(text.text):
        for hit in rules.hits(level.text, words=words):
            is_found = True
            is_number = is_json and _is_number(level.text, hit)
            ranges = text.byte_ranges(mask.body, *level.in_first(hit.start, hit.end))
            mask.add(hit.rule, list(ranges), is_number=is_number)
    return is_found


def _is_number(text: str, hit: RuleHit) -> bool:
    """Return True for digits that are a value of JSON, not a part of one of its strings."""
    before = text[max(0, hit.start - _NEIGHBOURS) : hit.start]
    return (
        text[hit.start : hit.end].isdigit()
        and _NUMBER_BEFORE.search(before) is not None
        and _NUMBER_BEHIND.match(text, hit.end) is not None
    )


def _mask_between(segment: BodySegment, rules: RuleSet, mask: _Mask) -> None:
    """Mask what stands between strings: a text that is no JSON, comments of a stream, numbers."""
    blank = bytearray(mask.body[segment.start : segment.end])
    for each in segment.tokens.strings:
        blank[each.start : each.end] = bytes(each.end - each.start)
    body = bytes(blank)
    text = decoded_text(body, [SpeltPiece(0, len(body), is_escaped=False)])
    for level in levels(text.text):
        for hit in rules.hits(level.text):
            if _is_structure(level.text, hit):
                continue
            is_number = bool(segment.tokens.frames) and _is_number(level.text, hit)
            found = text.byte_ranges(body, *level.in_first(hit.start, hit.end))
            ranges = [(segment.start + start, segment.start + end) for start, end in found]
            mask.add(hit.rule, ranges, is_number=is_number)


def _is_structure(text: str, hit: RuleHit) -> bool:
    """Return True for field names of events, and for words of JSON."""
    start = text.rfind("\n", 0, hit.start) + 1
    start = max(start, hit.start - _NEIGHBOURS)
    return any(
        kept.start() < hit.end and hit.start < kept.end()
        for kept in _TO_KEEP.finditer(text, start, hit.end + _NEIGHBOURS)
    )


# -- paths ----------------------------------------------------------------------------------------


def _mask_paths(texts: BodyTexts, rules: RuleSet, mask: _Mask) -> None:
    for rule, path in rules.paths:
        for segment in texts.segments:
            for start, end, is_number in matched_values(segment, path, mask.body):
                mask.add(rule, [(start, end)], is_number=is_number)
    if rules.paths:
        for pieces, string in texts.growing_with_strings():
            _mask_nested_paths(decoded_text(mask.body, pieces), string, rules, mask)


def _mask_nested_paths(text: DecodedText, string: JsonString, rules: RuleSet, mask: _Mask) -> None:
    """Values of JSON that stands in strings, such as the arguments of calls."""
    if text.text.lstrip()[:1] not in ("{", "["):
        return
    tokens = json_tokens(text.text)
    for rule, path in rules.paths:
        for start, end, is_number in matched_strings(text.text, tokens, string, path):
            ranges = list(text.byte_ranges(mask.body, start, end))
            mask.add(rule, ranges, is_number=is_number)


# -- log probabilities ----------------------------------------------------------------------------


def _overwrite_logprobs(segment: BodySegment, mask: _Mask) -> None:
    """Overwrite all tokens of a segment: they spell what was overwritten elsewhere."""
    inside = _frames_of_logprobs(segment.tokens.frames)
    if not inside:
        return
    for string in segment.tokens.strings:
        place = segment.start + string.start, segment.start + string.end
        is_field = string.is_name and mask.body[slice(*place)] in _LOGPROB_FIELDS
        if id(string.frame) in inside and not is_field:
            mask.cover([place])
    for number in segment.tokens.numbers:
        if id(number.frame) in inside and _SPELLS_TOKEN.search(
            f"{number.frame.name}.{number.step}"
        ):
            mask.cover([(segment.start + number.start, segment.start + number.end)], is_number=True)


def _frames_of_logprobs(frames: Iterable[JsonFrame]) -> set[int]:
    inside: set[int] = set()
    for frame in frames:
        if _LOGPROBS.search(frame.name) or id(frame.parent) in inside:
            inside.add(id(frame))
    return inside
