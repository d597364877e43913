"""Applies faults to a body: which bytes come, where they break, and how they are cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NoReturn

import msgspec

from inspector.core.wire.exchange import Read
from inspector.replay import read_edits
from inspector.replay.body_layout import BodyLayout, ByteRange
from inspector.replay.option_values import ANY
from inspector.replay.options import InvalidOption, Position, ReplayOptions
from inspector.replay.recorded_answer import RecordedAnswer

MAX_PIECES = 1_000_000
BY_TEXT = ("cut_event", "stall_event", "end_mark")
"""Options that go by what the bytes say."""
TEXT_SPLITS: Mapping[object, tuple[Callable[[bytes], list[int]], str]] = {
    "utf8": (read_edits.places_inside_characters, "a character of several bytes"),
    "crlf": (read_edits.places_inside_line_ends, "a line that ends with CR and LF"),
}


class OptionRefused(Exception):
    """Raised for an option that this answer cannot meet."""

    def __init__(self, option: InvalidOption) -> None:
        super().__init__(option.message)
        self.option = option


class FaultyBody(msgspec.Struct, frozen=True, kw_only=True):
    """A body as it is to be sent. Positions count its bytes."""

    reads: tuple[Read, ...]
    decoded_from: str | None
    """The content coding that was undone so that the faults could be put in."""
    is_longer_or_shorter: bool
    """The recorded length is not this body's."""
    cut: int | None
    stall: int | None
    splits: tuple[int, ...]
    """Where reads are cut."""


def faulty_body(
    answer: RecordedAnswer,
    options: ReplayOptions,
    request_number: int,
    layout: Callable[[], BodyLayout],
) -> FaultyBody:
    """Raises ``OptionRefused``."""
    text = _text(options, layout)
    reads = text.reads if text else answer.reads
    marks = text.end_marks if text and options.end_mark else ()
    if options.end_mark and not marks:
        refuse("end-mark", options.end_mark, "the body has nothing that ends its stream")
    edited = _with_end_marks(reads, marks, options)
    if options.swap is not None:
        edited = _swapped(edited, options.swap, random_of(options, request_number, "swap"))
    cut, stall = (
        _place(name, options, request_number, edited, text, marks) for name in ("cut", "stall")
    )
    return FaultyBody(
        reads=edited,
        decoded_from=text.coding if text else None,
        is_longer_or_shorter=bool(marks) or (text is not None and text.coding is not None),
        cut=cut,
        stall=stall,
        splits=tuple(_splits(edited, options)),
    )


def random_of(options: ReplayOptions, request_number: int, purpose: str) -> Random:
    """Chance that repeats itself: by seed and request, and for each purpose its own."""
    return Random(f"{options.seed}/{request_number}/{purpose}")


def refuse(name: str, value: object, bounds: str) -> NoReturn:
    raise OptionRefused(InvalidOption(name, str(value), bounds))


def _text(options: ReplayOptions, layout: Callable[[], BodyLayout]) -> BodyLayout | None:
    """The layout of the body, without content coding, if an option needs it."""
    by_text = [name for name in BY_TEXT if getattr(options, name) is not None]
    if options.split in TEXT_SPLITS:
        by_text.append("split")
    if not by_text:
        return None
    found = layout()
    if found.fault is not None:
        name = by_text[0]
        reason = f"the body's coding {found.coding} cannot be undone: {found.fault}"
        refuse(name.replace("_", "-"), getattr(options, name), reason)
    return found


def _with_end_marks(
    reads: tuple[Read, ...], marks: Sequence[ByteRange], options: ReplayOptions
) -> tuple[Read, ...]:
    edit = read_edits.without if options.end_mark == "drop" else read_edits.doubled
    # From the last, so that the places of the others hold.
    for start, end in reversed(marks):
        reads = edit(reads, start, end)
    return reads


def _swapped(reads: tuple[Read, ...], wanted: Position, random: Random) -> tuple[Read, ...]:
    if len(reads) < 2:
        refuse("swap", wanted, "the body has fewer than two reads")
    last = len(reads) - 2
    return read_edits.swapped(reads, _chosen("swap", wanted, last, "", random))


def _place(
    name: str,
    options: ReplayOptions,
    request_number: int,
    reads: tuple[Read, ...],
    text: BodyLayout | None,
    marks: Sequence[ByteRange],
) -> int | None:
    """The byte before which something happens."""
    random = random_of(options, request_number, name)
    length = sum(len(read.data) for read in reads)
    byte: Position | None = getattr(options, f"{name}_byte")
    if byte is not None:
        return _chosen(f"{name}-byte", byte, length, ", the length of the body", random)
    event: Position | None = getattr(options, f"{name}_event")
    if event is None or text is None:
        return None
    starts = text.event_starts
    if not starts:
        refuse(f"{name}-event", event, "the body has no events")
    number = _chosen(f"{name}-event", event, len(starts), ", the number of events", random)
    return _moved(starts[number], marks, options) if number < len(starts) else length


def _chosen(name: str, wanted: Position, most: int, what: str, random: Random) -> int:
    if wanted == ANY:
        return random.randint(0, most)
    if wanted > most:
        refuse(name, wanted, f"it may be a whole number from 0 to {most}{what}, or any")
    return wanted


def _moved(place: int, marks: Sequence[ByteRange], options: ReplayOptions) -> int:
    """Returns where a place is after the end marks before it were left out or doubled."""
    before = sum(end - start for start, end in marks if end <= place)
    return place - before if options.end_mark == "drop" else place + before


def _splits(reads: tuple[Read, ...], options: ReplayOptions) -> list[int]:
    if options.split is None:
        return []
    if options.split in TEXT_SPLITS:
        places_in, what = TEXT_SPLITS[options.split]
        found = places_in(read_edits.body_of(reads))
        if not found:
            refuse("split", options.split, f"the body has not {what}")
        return found
    size = 1 if isinstance(options.split, str) else options.split
    if sum(len(read.data) for read in reads) // size > MAX_PIECES:
        refuse("split", options.split, f"it would make more than {MAX_PIECES:,} pieces")
    return read_edits.places_every(reads, size)
