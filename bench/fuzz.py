"""Bytes that no one would write, sought by coverage: reading never raises and never takes long.

    nice -n 15 python3 bench/fuzz.py [--seconds N] [--format SLUG] [FOLDER]

Begins with the samples of a first start, whole, fenced, quoted and cut, and changes them for ten
minutes; with ``--format`` with good answers of that format, in every framing it has, whose lines it
also drops, repeats, exchanges and mixes with those of other formats. Of every input it asserts: no
exception, an analysis that goes to JSON and back, the same analysis for two reads as for one and
for chunks that are all read in full, and a time bounded by the length. An input that breaks one of
these is written to the working folder as ``crash-*`` or ``timeout-*``; FOLDER keeps what reached
new code, for the next run. Needs the environment of the project and, besides, atheris.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

import atheris
import django

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

with atheris.instrument_imports(include=["inspector.core", "json_repair"]):
    from inspector.core.analysis import analysis_from_json, analysis_to_json
    from inspector.core.fold import assembly
    from inspector.core.reading import analyze
    from inspector.core.wire.exchange import Exchange, Read

from tests.core.native_bodies import NATIVES  # noqa: E402

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


def native_seeds(slug: str) -> Iterator[bytes]:
    for native in NATIVES:
        if native.slug == slug:
            yield native.body
            yield from (native.frame(native.objects[:end]) for end in range(1, len(native.objects)))


def words(bodies: Iterable[bytes]) -> bytes:
    """The names and texts of bodies, as a dictionary that libFuzzer reads."""
    found = {word for body in bodies for word in re.findall(rb'"\w[\w.]*"', body)}
    return b"".join(b'"\\"%s\\""\n' % word[1:-1] for word in sorted(found))


def moved_lines(body: bytes, max_size: int, seed: int) -> bytes:
    """The body with its lines in another order, or with one of another format among them."""
    chance = random.Random(seed)
    lines = body.splitlines(keepends=True)
    if len(lines) < 2 or chance.random() < 0.5:
        mutated: bytes = atheris.Mutate(body, max_size)
        return mutated
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    change = chance.randrange(4)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines.insert(at, lines[other])
    elif change == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at:at] = chance.choice(NATIVES).body.splitlines(keepends=True)[:other]
    return b"".join(lines)[:max_size]


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
    with patch.object(assembly, "chunk_shape_of", return_value=None):
        assert analysis_to_json(analyze(Exchange.of_body(body))) == analysis_to_json(analysis)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=int, default=600)
    arguments.add_argument("--format", choices=sorted({native.slug for native in NATIVES}))
    arguments.add_argument("folder", nargs="?", type=Path)
    asked = arguments.parse_args()
    folder = asked.folder or Path(mkdtemp(prefix="fuzz-"))
    bodies = list(native_seeds(asked.format) if asked.format else seeds())
    for number, body in enumerate(bodies):
        (folder / f"seed-{number:02}").write_bytes(body)
    dictionary = Path(mkdtemp(prefix="fuzz-words-")) / "words"
    dictionary.write_bytes(words(bodies))
    options = [f"-max_total_time={asked.seconds}", f"-max_len={MAX_LENGTH}", "-timeout=20"]
    options.append(f"-dict={dictionary}")
    mutator = {"custom_mutator": moved_lines} if asked.format else {}
    atheris.Setup([sys.argv[0], *options, str(folder)], look_at, **mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
