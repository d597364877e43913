"""Bytes that no one would write, sought by coverage: reading never raises and never takes long.

    nice -n 15 python3 bench/fuzz.py [--seconds N] [FOLDER]

Begins with the samples of a first start, whole, fenced, quoted and cut, and changes them for ten
minutes. Of every input it asserts: no exception, an analysis that goes to JSON and back, the same
analysis for two reads as for one, and a time bounded by the length. An input that breaks one of
these is written to the working folder as ``crash-*`` or ``timeout-*``; FOLDER keeps what reached
new code, for the next run. Needs the environment of the project and, besides, atheris.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import atheris
import django

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

with atheris.instrument_imports(include=["inspector.core", "json_repair"]):
    from inspector.core.analysis import analysis_from_json, analysis_to_json
    from inspector.core.reading import analyze
    from inspector.core.wire.exchange import Exchange, Read

MAX_LENGTH = 8192
SECONDS_PER_INPUT = 1.0
SECONDS_PER_BYTE = 400e-6
"""Instrumented code is some ten times slower than it runs elsewhere."""


def seeds() -> Iterator[bytes]:
    django.setup()
    from inspector.operations.samples import samples

    for sample in samples():
        body = sample.exchange.body[:MAX_LENGTH]
        yield body
        yield b"Text:\n```\n" + body[: MAX_LENGTH - 20] + b"\n```\n"
        yield b"> " + body[: MAX_LENGTH // 2].replace(b"\n", b"\n> ")
        yield body.replace(b"data: ", b"")[: len(body) // 2]


def look_at(body: bytes) -> None:
    begin = time.process_time()
    analysis = analyze(Exchange.of_body(body))
    assert analysis_to_json(analysis_from_json(analysis_to_json(analysis))) == analysis_to_json(
        analysis
    )
    taken, limit = time.process_time() - begin, SECONDS_PER_INPUT + SECONDS_PER_BYTE * len(body)
    assert taken < limit, f"{taken:.2f} s for {len(body)} bytes"
    middle = len(body) // 2
    reads = (Read(None, body[:middle]), Read(None, body[middle:]))
    assert analysis_to_json(analyze(Exchange(reads=reads))) == analysis_to_json(analysis)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=int, default=600)
    arguments.add_argument("folder", nargs="?", type=Path)
    asked = arguments.parse_args()
    folder = asked.folder or Path(mkdtemp(prefix="fuzz-"))
    for number, body in enumerate(seeds()):
        (folder / f"seed-{number:02}").write_bytes(body)
    options = [f"-max_total_time={asked.seconds}", f"-max_len={MAX_LENGTH}", "-timeout=20"]
    atheris.Setup([sys.argv[0], *options, str(folder)], look_at)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
