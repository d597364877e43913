"""What do the presets of redaction find, miss and find wrongly, and what does a search cost?

    python3 bench/redaction.py FOLDER... [--seed N] [--show]

First over the texts written for the presets (tests/core/redaction/written_cases.py). Then over the
recordings of the folders: what the presets find in them as they are (``--show`` prints each, for
there is no list of what they hold); values of the written cases put into ten successive deltas of
each text that has as many; and, for each text, a word of fourteen characters across one of its
cuts. What is found must be gone from the reading afterwards, and verdict and events be the same.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspector.core.provenance import Origins  # noqa: E402
from inspector.core.reading import Reading  # noqa: E402
from inspector.core.redaction.body_masking import masked_body  # noqa: E402
from inspector.core.redaction.mask_rule import MaskKind, MaskRule, Preset  # noqa: E402
from inspector.core.redaction.mask_rules import RuleSet  # noqa: E402
from inspector.core.tape import LaneKind, LaneMode, Tape  # noqa: E402
from inspector.core.wire.event_frames import begins_frame  # noqa: E402
from inspector.core.wire.exchange import Exchange, Read  # noqa: E402
from tests.core.redaction.written_cases import written_cases  # noqa: E402
from tests.core.tracing import text_of  # noqa: E402

SUFFIXES = {".sse", ".ndjson", ".json", ".txt", ".bin"}
PARTS = 10
WORD = 14
STRUCTURE = frozenset('"{}[]:,\\')
TEXTS = (LaneKind.CONTENT, LaneKind.REASONING, LaneKind.TEXT, LaneKind.REFUSAL)
ALL = RuleSet([MaskRule(at, MaskKind.PRESET, name) for at, name in enumerate(Preset)])
CONSOLE = Console()


class Recording(NamedTuple):
    path: Path
    body: bytes


def recordings(folders: list[Path]) -> Iterator[Recording]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES:
                yield Recording(path, path.read_bytes())


def read(body: bytes) -> Reading:
    reading = Reading(Exchange(reads=()))
    reading.feed(Read(None, body))
    return reading


# -- the written cases ----------------------------------------------------------------------------


def written() -> None:
    table = Table("preset", "cases", "values", "found", "missed", "false")
    for preset in Preset:
        counts: Counter[str] = Counter()
        rules = RuleSet([MaskRule(1, MaskKind.PRESET, preset)])
        for case in written_cases():
            if case.preset != preset:
                continue
            found = Counter(case.text[hit.start : hit.end] for hit in rules.hits(case.text))
            wanted = Counter(case.found)
            counts["cases"] += 1
            counts["values"] += wanted.total()
            counts["found"] += (found & wanted).total()
            counts["missed"] += (wanted - found).total()
            counts["false"] += (found - wanted).total()
        names = ("cases", "values", "found", "missed", "false")
        table.add_row(preset, *(str(counts[name]) for name in names))
    CONSOLE.print(table)


# -- recordings as they are -----------------------------------------------------------------------


def as_they_are(found: list[Recording], *, is_shown: bool) -> None:
    counts: Counter[int] = Counter()
    searching = reading = 0.0
    for one in found:
        start = time.perf_counter()
        masked = masked_body(one.body, ALL)
        searching += time.perf_counter() - start
        start = time.perf_counter()
        read(one.body).analysis()
        reading += time.perf_counter() - start
        counts += masked.places
        for passage in masked.passages if is_shown else ():
            spelt = b"|".join(one.body[start:end] for start, end in passage.ranges)
            CONSOLE.print(f"{list(Preset)[passage.rule]}  {spelt!r}  {one.path.name}", markup=False)
    size = sum(len(one.body) for one in found)
    passages = ", ".join(f"{preset} {counts[at]}" for at, preset in enumerate(Preset))
    CONSOLE.print(f"{len(found)} recordings, {size:,} bytes; passages: {passages}")
    CONSOLE.print(
        f"searched in {searching:.2f} s ({searching / size * 1e6:.2f} s a megabyte),"
        f" read in {reading:.2f} s"
    )


# -- values put into ten deltas -------------------------------------------------------------------


def planted(found: list[Recording], chance: random.Random) -> None:
    # Those that are one without the text around them.
    values = [
        case for case in written_cases() if case.found == (case.text,) and case.text.isascii()
    ]
    counts: Counter[str] = Counter()
    for one in found:
        tape = read(one.body).tape()
        if begins_frame(one.body[:12]):
            continue
        for lane in range(len(tape.lanes)):
            case = chance.choice(values)
            body = with_value(one.body, tape, lane, case.found[0])
            if body is None:
                continue
            counts["planted"] += 1
            rules = RuleSet([MaskRule(1, MaskKind.PRESET, case.preset)])
            is_found = any(len(each.ranges) > 1 for each in masked_body(body, rules).passages)
            counts["found"] += is_found
            if not is_found:
                CONSOLE.print(f"missed: {case.found[0]} in {one.path.name}", markup=False)
    CONSOLE.print(f"values in ten deltas: {counts['found']} of {counts['planted']} found")


def with_value(body: bytes, tape: Tape, lane: int, value: str) -> bytes | None:
    """The body with ten successive pieces of a text replaced by parts of a value."""
    if tape.lanes[lane].kind not in TEXTS or tape.lanes[lane].mode is not LaneMode.APPEND:
        return None
    origins = Origins(tape, body)
    pieces = [each for each in origins.pieces(lane) if tape.pieces.length_u16[each]]
    if len(pieces) < PARTS + 2:
        return None
    # Spaces around it, in pieces of their own.
    parts = [" ", *parts_of(value), " "]
    ranges = []
    for piece in pieces[: len(parts)]:
        start = tape.pieces.start_u16[piece]
        found = origins.origin(piece, start, start + tape.pieces.length_u16[piece]).byte_ranges
        if len(found) != 1:
            return None
        ranges.append(found[0])
    made = body
    for (start, end), part in sorted(zip(ranges, parts, strict=True), reverse=True):
        made = made[:start] + json.dumps(part)[1:-1].encode() + made[end:]
    return made


def parts_of(value: str) -> list[str]:
    size = max(1, -(-len(value) // PARTS))
    return [value[at : at + size] for at in range(0, len(value), size)]


# -- words across cuts ----------------------------------------------------------------------------


def words(found: list[Recording], chance: random.Random) -> None:
    counts: Counter[str] = Counter()
    for one in found:
        before = read(one.body)
        analysis, tape = before.analysis(), before.tape()
        for number, lane in enumerate(tape.lanes):
            text = text_of(analysis, number, lane) if lane.mode is LaneMode.APPEND else None
            word = word_in(text or "", [*starts_of(tape, number)], chance)
            if word is None:
                continue
            counts["words"] += 1
            rules = RuleSet([MaskRule(1, MaskKind.WORD, f'"{word}"')])
            masked = masked_body(one.body, rules)
            after = read(masked.body)
            is_same = len(after.tape().events.kind) == len(tape.events.kind)
            counts["same"] += is_same and after.analysis().verdict == analysis.verdict
            left = text_of(after.analysis(), number, lane)
            is_gone = left is not None and not rules.hits(left)
            counts["gone"] += is_gone
            if not is_gone:
                CONSOLE.print(f"missed: {word!r} in {one.path.name}", markup=False)
    CONSOLE.print(
        f"words across cuts: {counts['gone']} of {counts['words']} gone,"
        f" verdict and events the same {counts['same']} times"
    )


def starts_of(tape: Tape, lane: int) -> Iterator[int]:
    columns = tape.pieces
    yield from (
        start for start, each in zip(columns.start_u16, columns.lane, strict=True) if each == lane
    )


def word_in(text: str, starts: list[int], chance: random.Random) -> str | None:
    """A part of a text across a cut, where it has one, that begins and ends at an end of a word;
    nothing that crosses the structure of JSON, which no value does.
    """
    ends = [at for at in range(len(text) + 1) if is_edge(text, at)]
    at = chance.choice(starts[1:]) if len(starts) > 1 else len(text) // 2
    before = [each for each in ends if at - WORD <= each < at]
    behind = [each for each in ends if at < each <= at + WORD]
    if not before or not behind:
        return None
    word = text[before[0] : behind[-1]].strip()
    is_enough = sum(map(str.isalnum, word)) >= 3
    return None if not is_enough or STRUCTURE & set(word) or "\n" in word else word


def is_edge(text: str, at: int) -> bool:
    beside = (text[at - 1 : at], text[at : at + 1])
    return not all(each.isalnum() or each == "_" for each in beside if each) or "" in beside


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    found = list(recordings(options.folders))
    written()
    as_they_are(found, is_shown=options.show)
    planted(found, random.Random(options.seed))
    words(found, random.Random(options.seed))


if __name__ == "__main__":
    main()
