"""Token totals as bars on one scale, their parts inside; a part larger than its total overflows."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.tokens.inclusion import COUNT_NAMES
from inspector.core.tokens.ledger import UsageLedgerEntry
from inspector.formatting.wire_values import NOT_SENT, join_names, json_text, wire_word

SCALE = 100
"""Width of the largest total in percent of the chart."""
TOP, HEIGHT = 1, 22
"""Position and height of a bar in pixels, inside its outline."""
FILLS = {
    "prompt_tokens": "prompt",
    "completion_tokens": "answer",
    "reasoning_tokens": "reasoning",
    "prompt_audio_tokens": "prompt",
}
"""Fills of totals and of counts outside a total."""
# Parts drawn, with their fills. Those of two bands may count the same tokens (cached audio is
# both). They are drawn in one row unless they add up to more than the total.
BANDS = (
    {"cached_tokens": "cached"},
    {"prompt_audio_tokens": "audio"},
    {"reasoning_tokens": "reasoning"},
    {"completion_audio_tokens": "speech"},
    {"accepted_prediction_tokens": "accepted", "rejected_prediction_tokens": "rejected"},
)


@dataclass(frozen=True, slots=True)
class TokenBarPart:
    """``x`` and ``width`` in percent, ``y`` and ``height`` in pixels."""

    name: str
    """Empty if it is the total."""
    fill: str
    number: int | None
    """None if it repeats the total."""
    x: float = 0
    width: float = 0
    over: float = 0
    """Width by which it exceeds the total it should be part of."""
    y: float = TOP
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class TokenBar:
    name: str
    number: int | None
    value_text: str
    """The count; "not sent", "null" or the sent value if it is no count."""
    width: float
    parts: tuple[TokenBarPart, ...]
    undrawn: tuple[str, ...]
    """Labels of parts that were sent and have no width: 0, null or no count."""
    overlaps: bool
    """True if parts that may overlap exceed the total, and so have a band each."""


def build_token_bars(found: tuple[UsageLedgerEntry, ...]) -> tuple[TokenBar, ...]:
    """Build the bars: prompt, completion, and counts outside of both."""
    largest = max(
        width
        for entry in found
        for width in (token_number(entry), *map(band_total, part_bands(entry)))
    )
    return tuple(token_bar(entry, SCALE / max(largest, 1)) for entry in found)


def part_bands(entry: UsageLedgerEntry) -> list[list[tuple[UsageLedgerEntry, str]]]:
    """Parts with a width and their fills, by band; empty bands are omitted."""
    sent = {part.name: part for part in entry.parts if token_number(part)}
    found = ([(sent[name], fill) for name, fill in band.items() if name in sent] for band in BANDS)
    return [band for band in found if band]


def band_total(band: list[tuple[UsageLedgerEntry, str]]) -> int:
    return sum(token_number(part) for part, _ in band)


def token_number(entry: UsageLedgerEntry) -> int:
    return entry.count if isinstance(entry.count, int) else 0


def token_bar(entry: UsageLedgerEntry, scale: float) -> TokenBar:
    has_number = isinstance(entry.count, int)
    in_bands = part_bands(entry)
    overlaps = has_number and sum(map(band_total, in_bands)) > token_number(entry)
    parts: Iterator[TokenBarPart] = iter(())
    if has_number:
        parts = (
            parts_in_bands(entry, in_bands, scale)
            if overlaps
            else parts_in_row(entry, in_bands, scale)
        )
    return TokenBar(
        name=COUNT_NAMES[entry.name],
        number=token_number(entry) if has_number else None,
        value_text=value_text(entry),
        width=token_number(entry) * scale,
        parts=tuple(parts),
        undrawn=tuple(undrawn_words(entry)),
        overlaps=overlaps and len(in_bands) > 1,
    )


def parts_in_row(
    entry: UsageLedgerEntry, in_bands: list[list[tuple[UsageLedgerEntry, str]]], scale: float
) -> Iterator[TokenBarPart]:
    """Draw the parts side by side, followed by the remainder of the total."""
    size, x, parts = token_number(entry), 0, [each for band in in_bands for each in band]
    for part, fill in parts:
        yield TokenBarPart(
            COUNT_NAMES[part.name], fill, token_number(part), x * scale, token_number(part) * scale
        )
        x += token_number(part)
    if not parts:
        yield TokenBarPart("", FILLS[entry.name], None, 0, size * scale)
    elif x < size:
        name = remainder_name(entry) if len(parts) == 1 else "the rest"
        yield TokenBarPart(name, FILLS[entry.name], size - x, x * scale, (size - x) * scale)


def remainder_name(entry: UsageLedgerEntry) -> str:
    """Return the ledger's name for the remainder of the total beside a single part."""
    return next((part.wire_name for part in entry.parts if part.is_derived), "the rest")


def parts_in_bands(
    entry: UsageLedgerEntry, in_bands: list[list[tuple[UsageLedgerEntry, str]]], scale: float
) -> Iterator[TokenBarPart]:
    """Draw each part in a band of its own; the remainder is then unknown."""
    size, height = token_number(entry), HEIGHT / len(in_bands)
    for row, band in enumerate(in_bands):
        x = 0
        for part, fill in band:
            end = x + token_number(part)
            width = max(min(end, size) - x, 0)
            over = max(end - max(x, size), 0)
            yield TokenBarPart(
                COUNT_NAMES[part.name], fill, token_number(part), min(x, size) * scale,
                width * scale, over * scale, TOP + row * height, height,
            )  # fmt: skip
            x = end


# -- in words --------------------------------------------------------------------------------------


def undrawn_words(entry: UsageLedgerEntry) -> Iterator[str]:
    """Yield phrases such as ``audio 0`` or ``audio null``."""
    names = {name for band in BANDS for name in band}
    by_word: dict[str, list[str]] = {}
    for part in entry.parts:
        if part.name in names and not token_number(part):
            word = value_text(part) if part.odd is UNSET else "sent as no count"
            if word != NOT_SENT:
                by_word.setdefault(word, []).append(COUNT_NAMES[part.name])
    for word in sorted(by_word, key=lambda word: word != "0"):
        yield f"{joined_names(by_word[word])} {word}"


def joined_names(words: list[str]) -> str:
    """Join names that share their last word: ``accepted and rejected prediction``."""
    shared = f" {words[-1].split()[-1]}"
    return join_names([*(word.removesuffix(shared) for word in words[:-1]), words[-1]])


def value_text(entry: UsageLedgerEntry) -> str:
    """Return the count; "not sent", "null" or the sent value if it is no count."""
    if isinstance(entry.count, int):
        return f"{entry.count:,}"
    return wire_word(entry.count) if entry.odd is UNSET else json_text(entry.odd)
