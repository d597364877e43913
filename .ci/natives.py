"""Holds native recordings that lie beside the checkout against what they say; says what differs.

    .venv/bin/python .ci/natives.py ../shared

Each recording of Messages, Responses, Gemini and Ollama: its ids, texts, calls, blocks, results and
counts against the ``.expected`` file beside it, by the check that lies with them, outside the
departures that this file argues. Every text of it leads to bytes that decode to it, what is told of
it while it comes in adds up, and it is read alike whole, byte by byte and however else it is cut
into reads.
"""

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from recordings import ROOT, told_of, untraced

from inspector.core.completion import BlockKind
from tests.core.tracing import Traced

KINDS = ("anthropic", "responses", "gemini", "ollama")
CHANCE = 20_261_123
CUTTINGS = 3
MAX_TOLD = 40
MAX_SHOWN = 3
"""Departures of a field that the check shows, each with its file."""


class Argued(NamedTuple):
    """A recording of which something is expected that it should not be told."""

    file: str
    fields: frozenset[str]
    because: str


ARGUED = (
    Argued(
        "gemini/ai__fixtures__-google-vertex-stream-tool-call-arguments-nested.1__92992bb20a.sse",
        frozenset({"blocks", "result", "tool calls"}),
        "One call comes in parts (willContinue, partialArgs); a call is expected for each part.",
    ),
    Argued(
        "openai/ai__fixtures__-openai-shell-container.1__e293d81d2e.sse",
        frozenset({"content"}),
        "Its pieces were abridged, its whole text was not: the pieces are what came and are kept,"
        " the difference is reported. The longer text is expected.",
    ),
)

_TOTAL = re.compile(r"(?P<kind>\w+) +(?P<field>\S.*?) +(?P<equal>\d+)/ *(?P<all>\d+) +[\d.]+ %")
_SHOWN = re.compile(r" +\| (?P<file>\S+) \| ")


def main(shared: Path) -> None:
    folder = shared / "corpus_native"
    unlike = [*departures(shared / "checks" / "native.py", folder)]
    # The texts of those in the other folder are traced with all others there.
    unlike += untraced(list(natives(folder)), texts_without_lane)
    unlike += read_otherwise_in_pieces([*natives(folder), *natives(shared / "corpus")])
    for line in unlike[:MAX_TOLD]:
        print("  " + line)
    if unlike:
        sys.exit(f"{len(unlike)} native readings are not as they should be")


def natives(folder: Path) -> Iterator[Path]:
    for line in (folder / "manifest.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["kind"] in KINDS:
            yield folder / row["file"]


# -- what is expected -----------------------------------------------------------------------------


def departures(check: Path, folder: Path) -> Iterator[str]:
    """Yield findings of the check that are not argued."""
    command = [sys.executable, str(check), str(folder), str(ROOT), sys.executable]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    totals = [found for line in lines if (found := _TOTAL.fullmatch(line))]
    if not totals:
        yield f"{check} tells nothing"
    print(f"native recordings: {lines[-1] if lines else ''}")
    argued = {(field, each.file) for each in ARGUED for field in each.fields}
    field = ""
    for line in lines:
        if total := _TOTAL.fullmatch(line):
            field = total["field"]
            unlike = int(total["all"]) - int(total["equal"])
            if unlike > MAX_SHOWN:
                yield f"{total['kind']} {field}: {unlike} departures, not all of them shown"
        elif (shown := _SHOWN.match(line)) and (field, shown["file"]) not in argued:
            yield f"{field} {line.strip()}"


# -- provenance -----------------------------------------------------------------------------------


def texts_without_lane(traced: Traced) -> Iterator[str]:
    for choice in traced.analysis.choices:
        for position, block in enumerate(choice.blocks):
            is_text = isinstance(block.text, str) and block.text != ""
            if is_text and block.lane is None and block.kind is not BlockKind.TOOL_CALL:
                yield f"block {position} of choice {choice.index} is on no lane"


# -- cuttings -------------------------------------------------------------------------------------


def read_otherwise_in_pieces(paths: list[Path]) -> Iterator[str]:
    chance = random.Random(CHANCE)
    tried = 0
    for path in paths:
        body = path.read_bytes()
        due = told_of([body], "")
        for cut in cuttings(body, chance):
            tried += 1
            if told_of(cut, "") != due:
                yield f"{path}: cut into {len(cut):,} reads it is read otherwise"
    print(f"  cut into reads: {tried:,} times")


def cuttings(body: bytes, chance: random.Random) -> Iterator[list[bytes]]:
    yield [body[at : at + 1] for at in range(len(body))]
    for _ in range(CUTTINGS):
        places = sorted(chance.randrange(len(body) + 1) for _ in range(chance.randrange(1, 40)))
        yield [body[start:end] for start, end in pairwise([0, *places, len(body)])]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
