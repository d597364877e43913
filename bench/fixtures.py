"""Fixtures run: by kind, how many were made, run and passed, over recordings in folders.

    .venv/bin/python bench/fixtures.py [--count 100] [FOLDER…]

Beside the folders' files (.json .sse .ndjson .txt, evenly chosen) it takes the sample recordings of
this project. Files have no reads: they are cut into reads at places that a seed decides, inside
characters and line ends, too. vitest is stood in for by ``node:test``, unless ``--vitest FOLDER``
names a folder in which it is installed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django  # noqa: E402

django.setup()

from inspector.core.readout import readout  # noqa: E402
from inspector.core.wire.exchange import Exchange, Read, Request, TransportOutcome  # noqa: E402
from inspector.operations.reports.input_files import CONTENT_TYPES  # noqa: E402
from inspector.operations.samples import recordings  # noqa: E402
from inspector.transfer.fixtures.registry import KINDS, build_fixture  # noqa: E402
from inspector.transfer.fixtures.source import (  # noqa: E402
    Fixture,
    FixtureRefusal,
    FixtureSource,
)
from tests.transfer.fixtures import running  # noqa: E402

MAX_READ_BYTES = 400
REQUEST = Request(
    method="POST",
    url="https://llm.example/v1/chat/completions",
    headers=(("content-type", "application/json"), ("authorization", "[removed]")),
    body=b'{"model":"m","stream":true}',
)


def main() -> None:
    options = parsed_options()
    chooser = random.Random(options.seed)
    sources = [
        *own_samples(),
        *(s for each in options.folders for s in of_folder(each, options, chooser)),
    ]
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    values = Counter[str]()
    for source in sources:
        for kind in KINDS:
            tell(source, kind, counts[kind], values, options.vitest)
    print(f"recordings: {len(sources)}")
    print(f"{'kind':8}{'made':>6}{'run':>6}{'passed':>8}  refused")
    for kind, count in counts.items():
        made, passed, refused = count["made"], count["passed"], count["refused"]
        print(f"{kind:8}{made:6}{made:6}{passed:8}  {refused}")
    print(f"values expected: {values['found']}, beyond the few lines: {values['others']}")


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=100, help="files of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vitest", type=Path, help="folder with node_modules/.bin/vitest")
    return parser.parse_args()


def own_samples() -> Iterator[FixtureSource]:
    for name, make in sorted(vars(recordings).items()):
        if getattr(make, "__module__", "") == recordings.__name__ and callable(make):
            found = make()
            if isinstance(found, Exchange):
                yield FixtureSource(f"sample_{name}", found, readout(found))


def of_folder(
    folder: Path, options: argparse.Namespace, chooser: random.Random
) -> Iterator[FixtureSource]:
    files = sorted(each for each in folder.rglob("*") if each.suffix in CONTENT_TYPES)
    step = max(1, len(files) // options.count)
    for number, file in enumerate(files[::step][: options.count]):
        exchange = Exchange(
            reads=tuple(cut(file.read_bytes(), chooser)),
            content_type=CONTENT_TYPES[file.suffix],
            status_code=200,
            headers=(("Content-Type", CONTENT_TYPES[file.suffix]), ("X-Request-Id", "r-1")),
            outcome=TransportOutcome.UPSTREAM_ERROR if number % 10 == 9 else TransportOutcome.ENDED,
            request=REQUEST,
        )
        yield FixtureSource(f"{folder.name}_{number}", exchange, readout(exchange))


def cut(body: bytes, chooser: random.Random) -> Iterator[Read]:
    at, at_us = 0, 200_000
    while at < len(body):
        length = chooser.randint(1, MAX_READ_BYTES)
        yield Read(at_us, body[at : at + length])
        at, at_us = at + length, at_us + chooser.randint(0, 50_000)


def tell(
    source: FixtureSource, kind: str, count: Counter[str], values: Counter[str], vitest: Path | None
) -> None:
    fixture = build_fixture(source, kind)
    if isinstance(fixture, FixtureRefusal):
        count["refused"] += 1
        return print(f"{source.name} {kind}: {fixture.message}")
    count["made"] += 1
    with tempfile.TemporaryDirectory(dir=vitest) as folder:
        trouble = trouble_of(source, kind, fixture, Path(folder), vitest)
    if kind == "pytest":
        values.update(counted_values(source))
    if trouble:
        return print(f"{source.name} {kind}: {trouble[-3000:]}")
    count["passed"] += 1
    return None


def trouble_of(
    source: FixtureSource, kind: str, fixture: Fixture, folder: Path, vitest: Path | None
) -> str:
    """Why the fixture does not do what it is for; "" if it does."""
    if kind == "har":
        same = running.read_har(fixture.content) == running.as_har_keeps(source.exchange)
        return "" if same else "another exchange"
    if kind == "reads":
        same = running.read_reads(fixture.content).reads == source.exchange.reads
        return "" if same else "other reads"
    path = running.write(fixture, folder)
    if kind == "vitest" and vitest:
        outcome = running.run(["npx", "vitest", "run", "--root", folder], folder)
        return "" if running.passed(outcome, 2) else outcome[1]
    runs: dict[str, Callable[[Path], tuple[int, str]]] = {
        "pytest": running.run_pytest,
        "vitest": running.run_vitest,
        "curl": running.run_curl,
    }
    outcome = runs[kind](path)
    is_good = outcome[0] == 0 if kind == "curl" else running.passed(outcome, 2)
    return "" if is_good else outcome[1]


def counted_values(source: FixtureSource) -> dict[str, int]:
    from inspector.transfer.fixtures.template import expected_of

    expected = expected_of(source)
    return {"found": len(expected.values), "others": len(expected.others)}


if __name__ == "__main__":
    main()
