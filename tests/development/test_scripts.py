from collections import Counter
from pathlib import Path

import pytest

from development import node, scripts
from development.runs import Counts

PASSING = 'import { test } from "node:test";\ntest("one", () => {});\n'
FAILING = (
    PASSING + 'test("two", () => { throw new Error("no"); });\ntest.skip("three", () => {});\n'
)


@pytest.fixture
def program() -> Path:
    found = node.find()
    if found is None:
        pytest.skip(node.MISSING)
    return found


def test_counts_are_read_from_the_end_of_the_report() -> None:
    tap = (
        "TAP version 13\n# pass 99\nok 1 - one\n1..4\n# tests 4\n# pass 1\n# fail 1\n"
        "# cancelled 1\n# skipped 1\n# todo 0\n# duration_ms 4\n"
    )
    assert scripts.counts_in(tap) == Counts(1, 2, Counter({scripts.SKIPPED: 1}))
    assert scripts.counts_in("") == Counts()


@pytest.mark.thorough
def test_a_run_tells_what_passed_failed_and_was_skipped(program: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.test.js", tmp_path / "other.test.js"
    one.write_text(PASSING)
    other.write_text(FAILING)
    run = scripts.run_with(program, [one, other])
    assert (run.name, run.exit_code) == ("scripts", 1)
    assert str(run.counts) == "1 failed, 2 passed, 1 skipped"
    assert run.seconds > 0 and run.processor_seconds > 0


def test_without_node_there_is_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts.node, "find_or_install", lambda: None)
    assert scripts.run(["tests/static"]) is None


def test_a_folder_is_all_its_tests_and_a_file_is_itself() -> None:
    files = scripts.test_files(["tests/static/player", "tests/static/ages.test.js"])
    names = [file.name for file in files]
    assert names == [
        "column.test.js",
        "player.test.js",
        "texts.test.js",
        "times.test.js",
        "ages.test.js",
    ]
