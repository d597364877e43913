"""Wholes as bars on one scale, their parts inside; a part larger than its whole reaches beyond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.counting import WORDS
from inspector.core.ledger import Entry
from inspector.dashboard.wire import NOT_SENT, json_text, listed, wire_word

SCALE = 100
"""Width of the largest whole in percent of the drawing."""
TOP, HEIGHT = 1, 22
"""Of a bar in pixels, inside its outline."""
FILLS = {
    "prompt_tokens": "prompt",
    "completion_tokens": "answer",
    "reasoning_tokens": "reasoning",
    "prompt_audio_tokens": "prompt",
}
"""Of a whole, or of what is counted beside one."""
BANDS = (
    {"cached_tokens": "cached"},
    {"prompt_audio_tokens": "audio"},
    {"reasoning_tokens": "reasoning"},
    {"completion_audio_tokens": "speech"},
    {"accepted_prediction_tokens": "accepted", "rejected_prediction_tokens": "rejected"},
)
"""The parts that are drawn, with their fills. Those of two bands may be the same tokens: cached
audio is both. They stand one after the other unless that makes more than the whole.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """``x`` and ``width`` in percent, ``y`` and ``height`` in pixels."""

    name: str
    fill: str
    number: int | None
    """None where it is the whole once more."""
    x: float = 0
    width: float = 0
    over: float = 0
    """How far it reaches beyond the whole that it is said to be a part of."""
    y: float = TOP
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class Whole:
    name: str
    number: int | None
    said: str
    """The number in words; "not sent", "null" or what was sent instead where there is none."""
    width: float
    parts: tuple[Part, ...]
    undrawn: tuple[str, ...]
    """Parts without a width, in words: 0, null and not sent are three things."""
    overlaps: bool
    """Parts that may be the same tokens are more than the whole together, in a band each."""


def wholes(found: tuple[Entry, ...]) -> tuple[Whole, ...]:
    """Prompt and completion, and what is counted beside them."""
    largest = max(width for entry in found for width in (number(entry), *map(total, bands(entry))))
    return tuple(whole(entry, SCALE / max(largest, 1)) for entry in found)


def bands(entry: Entry) -> list[list[tuple[Entry, str]]]:
    """The parts that have a width, each with its fill; empty bands left out."""
    sent = {part.name: part for part in entry.parts if number(part)}
    found = ([(sent[name], fill) for name, fill in band.items() if name in sent] for band in BANDS)
    return [band for band in found if band]


def total(band: list[tuple[Entry, str]]) -> int:
    return sum(number(part) for part, _ in band)


def number(entry: Entry) -> int:
    return entry.count if isinstance(entry.count, int) else 0


def whole(entry: Entry, scale: float) -> Whole:
    has_number = isinstance(entry.count, int)
    in_bands = bands(entry)
    overlaps = has_number and sum(map(total, in_bands)) > number(entry)
    parts: Iterator[Part] = iter(())
    if has_number:
        parts = side_by_side(entry, in_bands, scale) if overlaps else in_row(entry, in_bands, scale)
    return Whole(
        name=WORDS[entry.name],
        number=number(entry) if has_number else None,
        said=said(entry),
        width=number(entry) * scale,
        parts=tuple(parts),
        undrawn=tuple(undrawn(entry)),
        overlaps=overlaps and len(in_bands) > 1,
    )


def in_row(entry: Entry, in_bands: list[list[tuple[Entry, str]]], scale: float) -> Iterator[Part]:
    """One part after the other, then what they leave."""
    size, x, drawn = number(entry), 0, [each for band in in_bands for each in band]
    for part, fill in drawn:
        yield Part(WORDS[part.name], fill, number(part), x * scale, number(part) * scale)
        x += number(part)
    if not drawn:
        yield Part("not broken down", FILLS[entry.name], None, 0, size * scale)
    elif x < size:
        name = rest_name(entry) if len(drawn) == 1 else "the rest"
        yield Part(name, FILLS[entry.name], size - x, x * scale, (size - x) * scale)


def rest_name(entry: Entry) -> str:
    """As the ledger calls what one part leaves of the whole."""
    return next((part.wire_name for part in entry.parts if part.is_derived), "the rest")


def side_by_side(
    entry: Entry, in_bands: list[list[tuple[Entry, str]]], scale: float
) -> Iterator[Part]:
    """A band for each, one below the other: what is left cannot be known."""
    size, height = number(entry), HEIGHT / len(in_bands)
    for row, band in enumerate(in_bands):
        x = 0
        for part, fill in band:
            end = x + number(part)
            width = max(min(end, size) - x, 0)
            over = max(end - max(x, size), 0)
            yield Part(
                WORDS[part.name], fill, number(part), min(x, size) * scale, width * scale,
                over * scale, TOP + row * height, height,
            )  # fmt: skip
            x = end


# -- in words --------------------------------------------------------------------------------------


def undrawn(entry: Entry) -> Iterator[str]:
    """``audio 0, sent as 0``, ``audio null``, ``accepted and rejected prediction not sent``."""
    names = {name for band in BANDS for name in band}
    by_word: dict[str, list[str]] = {}
    for part in entry.parts:
        if part.name in names and not number(part):
            word = said(part) if part.odd is UNSET else "sent as no count"
            by_word.setdefault(word, []).append(WORDS[part.name])
    for word in sorted(by_word, key=lambda word: (word == NOT_SENT, word != "0")):
        told = "0, sent as 0" if word == "0" else word
        yield f"{both(by_word[word])} {told}"


def both(words: list[str]) -> str:
    """``accepted and rejected prediction``."""
    shared = f" {words[-1].split()[-1]}"
    return listed([*(word.removesuffix(shared) for word in words[:-1]), words[-1]])


def said(entry: Entry) -> str:
    """A count, or why there is none: "not sent", "null", or what was sent instead."""
    if isinstance(entry.count, int):
        return f"{entry.count:,}"
    return wire_word(entry.count) if entry.odd is UNSET else json_text(entry.odd)
