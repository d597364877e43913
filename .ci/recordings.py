"""Reads every recording and hostile body that lies beside the checkout; says what differs.

    .venv/bin/python .ci/recordings.py ../shared

Each recording through ``manage.py inspect``: none may be missing. A whole body must be told as it
was sent, a stream as the ``.expected`` file beside it has it, outside the faults that this file
lists of itself. Every text, and characters all along it, must lead to bytes that decode to it.
Each hostile body must be flagged or not, as its catalogue says, and read alike however it is cut
into reads.
"""

import importlib.util
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from inspector.core.analysis import analysis_to_json  # noqa: E402
from inspector.core.reading import analyze, read  # noqa: E402
from inspector.core.wire.exchange import Exchange, Read  # noqa: E402
from tests.core.tracing import Traced  # noqa: E402

LOUD = ("warning", "error")
MAX_TOLD = 40

Difference = tuple[str, Any, Any]


def main(shared: Path) -> None:
    corpus = shared / "corpus"
    lines = (corpus / "manifest.jsonl").read_text().splitlines()
    paths = [corpus / json.loads(line)["file"] for line in lines]
    started = time.monotonic()
    analyses = inspected(paths)
    seconds = time.monotonic() - started
    print(f"{len(paths)} recordings read in {seconds:.1f} s")
    for name in ("verdict", "dialect", "vendor"):
        print(f"  {name}: {counted(str(each[name]) for each in analyses.values())}")
    unlike = [*unlike_bodies(analyses), *unlike_expected(analyses), *untraced(paths)]
    unlike += hostile(shared / "checks")
    for line in unlike[:MAX_TOLD]:
        print("  " + line)
    if unlike:
        sys.exit(f"{len(unlike)} readings are not as they should be")


def counted(values: Iterator[str]) -> str:
    return ", ".join(f"{value} {count}" for value, count in Counter(values).most_common())


def inspected(paths: list[Path]) -> dict[Path, dict[str, Any]]:
    command = [sys.executable, str(ROOT / "manage.py"), "inspect", "--json", *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    analyses = {Path(result["path"]): result["analysis"] for result in results}
    if missing := set(paths) - set(analyses):
        sys.exit(f"{len(missing)} recordings without an analysis, {min(missing)} among them")
    return analyses


# -- completions ----------------------------------------------------------------------------------


def unlike_bodies(analyses: dict[Path, dict[str, Any]]) -> Iterator[str]:
    """Whole answers whose completion is not the object that was sent. Of a streamed list it is the
    one answer that its objects build.
    """
    equal = 0
    for path, analysis in analyses.items():
        if path.suffix != ".json" or analysis["completion"] is None or analysis["streamed"]:
            continue
        if analysis["completion"] == json.loads(path.read_bytes()):
            equal += 1
        else:
            yield f"{path}: the completion is not the body"
    print(f"  completion equals the whole body: {equal}")


def unlike_expected(analyses: dict[Path, dict[str, Any]]) -> Iterator[str]:
    """Streams whose completion differs from the one beside them."""
    equal = 0
    for path, analysis in analyses.items():
        beside = path.with_suffix(".expected")
        if path.suffix != ".sse" or not beside.exists():
            continue
        oracle = json.loads(beside.read_text())
        faults = Faults(oracle["departs_from_plain_fold"])
        found = [
            each
            for each in differences("", oracle["completion"], analysis["completion"])
            if not faults.explain(each)
        ]
        equal += not found
        for place, due, is_ in found:
            yield f"{path}: {place} is {json.dumps(is_)[:60]}, not {json.dumps(due)[:60]}"
    print(f"  completion equals what is expected: {equal} streams")


class Faults:
    """Faults that an expected completion is known to have, by the words of its own list."""

    def __init__(self, listed: list[str]) -> None:
        self._fields = {line.partition(":")[0].removeprefix("tool ") for line in listed}
        self._lost = {line.rpartition(": ")[2] for line in listed if "key lost" in line}

    def explain(self, difference: Difference) -> bool:
        place, due, is_ = difference
        name = place.rpartition("/")[2]
        if name in self._fields or any(f"/{lost}" in place for lost in self._lost):
            return True
        # What it does to fields that it does not know, though its list does not tell: of objects
        # and numbers it keeps the first, labels it joins as if they were text, parts it makes text.
        is_foreign = not place.startswith("/choices") or len(place.split("/")) > 4
        is_foreign = is_foreign and "/tool_calls/" not in place
        lost = is_foreign and (due is None or isinstance(due, int | float))
        if isinstance(due, str) and isinstance(is_, str) and due and is_:
            return is_.startswith(due) if name == "text" else not due.replace(is_, "")
        # Reasoning of two types under one index it makes one entry that is neither.
        is_list = isinstance(is_, list) and name in ("content", "reasoning_details")
        return lost or is_list


def differences(place: str, due: Any, is_: Any) -> Iterator[Difference]:
    if isinstance(due, dict) and isinstance(is_, dict):
        for name in {**due, **is_}:
            is_position = name == "index" and place.rpartition("/")[0].endswith("/tool_calls")
            if not is_position:
                yield from differences(f"{place}/{name}", due.get(name), is_.get(name))
    elif isinstance(due, list) and isinstance(is_, list) and len(due) == len(is_):
        for number, (one, other) in enumerate(zip(due, is_, strict=True)):
            yield from differences(f"{place}/{number}", one, other)
    elif due != is_:
        yield place, due, is_


# -- provenance -----------------------------------------------------------------------------------


def untraced(
    paths: list[Path], faults: Callable[[Traced], Iterable[str]] = lambda traced: ()
) -> Iterator[str]:
    """Characters that lead to no bytes, or to bytes that say something else; and other faults."""
    started = time.monotonic()
    lanes = characters = 0
    for path in paths:
        traced = Traced(Exchange.of_body(path.read_bytes()))
        yield from (f"{path}: {fault}" for fault in (*traced.faults(), *faults(traced)))
        lanes, characters = lanes + len(traced.tape.lanes), characters + traced.characters
    seconds = time.monotonic() - started
    print(f"  characters traced to their bytes: {characters:,} of {lanes} lanes, {seconds:.0f} s")


# -- hostile bodies -------------------------------------------------------------------------------


def hostile(folder: Path) -> Iterator[str]:
    catalogue = imported(folder / "bad_inputs.py")
    cuttings = read_cases = 0
    for case in catalogue.cases():
        if case.kind not in ("completion", "stream") or case.headers:
            continue
        read_cases += 1
        findings = analyze(Exchange.of_body(case.body, case.content_type)).findings
        is_flagged = any(finding.severity in LOUD for finding in findings)
        told = "accepted_and_flagged" if is_flagged else "accepted_ok"
        if told not in (case.expectation, case.alt) and case.expectation != "rejected_4xx":
            yield f"{case.id}: {told}, where {case.expectation} is due"
        if len(case.body) <= 4096:
            due = told_of([case.body], case.content_type)
            for cut in catalogue.splits(case.body):
                cuttings += 1
                if told_of(cut, case.content_type) != due:
                    yield f"{case.id}: cut into {len(cut)} reads it is read otherwise"
    print(f"  hostile bodies: {read_cases} read, {cuttings:,} cuttings")


def told_of(cut: list[bytes], content_type: str) -> tuple[bytes, object]:
    reads = tuple(Read(None, data) for data in cut)
    reading = read(Exchange(reads=reads, content_type=content_type))
    tape = reading.tape()
    return analysis_to_json(reading.analysis()), (tape.events, tape.lanes, tape.marks, tape.pieces)


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(Path(sys.argv[1]))
