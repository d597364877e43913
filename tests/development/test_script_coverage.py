import json
from pathlib import Path
from typing import Any

import pytest

from development import script_coverage
from development.script_coverage import ScriptRow

SOURCE = """\
// What it does.

/**
 * @type {() => void}
 */
export function one() {
  if (false) {
    two();
  }
}

function two() {}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "static" / "dashboard").mkdir(parents=True)
    (tmp_path / "static" / "dashboard" / "one.js").write_text(SOURCE)
    (tmp_path / "static" / "other.js").write_text("let unread = 1;\n")
    return tmp_path


def at(text: str, source: str = SOURCE) -> int:
    return len(source[: source.index(text)].encode("utf-16-le")) // 2


def span(start: str, end: str, count: int, source: str = SOURCE) -> dict[str, int]:
    """From a text to behind the other, in the units that V8 counts."""
    behind = at(end, source) + len(end.encode("utf-16-le")) // 2
    return {"startOffset": at(start, source), "endOffset": behind, "count": count}


WHOLE = {"startOffset": 0, "endOffset": len(SOURCE), "count": 1}
BLOCK = span("{\n    two();", "two();\n  }", 0)
ONE = span("export function one", "two();\n  }\n}", 1)
TWO = span("function two", "two() {}", 0)


def functions(*ranges: list[dict[str, int]]) -> list[dict[str, Any]]:
    return [{"functionName": "", "isBlockCoverage": True, "ranges": each} for each in ranges]


def report(folder: Path, name: str, url: str, *ranges: list[dict[str, int]]) -> None:
    folder.mkdir(exist_ok=True)
    result = [{"scriptId": "1", "url": url, "functions": functions(*ranges)}]
    (folder / name).write_text(json.dumps({"result": result, "timestamp": 1}))


def test_lines_with_code_are_those_that_are_no_comments() -> None:
    numbers = [line.number for line in script_coverage.code_lines(SOURCE)]
    assert numbers == [6, 7, 8, 9, 10, 12]


def test_a_block_that_did_not_run_leaves_its_own_lines() -> None:
    reached = script_coverage.reached_lines(SOURCE, functions([WHOLE], [ONE, BLOCK], [TWO]))
    # `if (false) {` ran, what stands in it and behind its end did not.
    assert list(reached) == [6, 7, 10]


def test_a_function_that_ran_counts_inside_what_did_not() -> None:
    ran = {**TWO, "count": 2}
    reached = script_coverage.reached_lines(SOURCE, functions([{**WHOLE, "count": 0}], [ran]))
    assert list(reached) == [12]


def test_offsets_count_utf_16_units() -> None:
    source = 'const face = "\N{GRINNING FACE}\N{GRINNING FACE}";\nif (no) {\n  fail();\n}\nend();\n'
    whole = {"startOffset": 0, "endOffset": len(source.encode("utf-16-le")) // 2, "count": 1}
    block = span("{\n", "fail();\n}", 0, source)
    assert list(script_coverage.reached_lines(source, functions([whole, block]))) == [1, 2, 5]


def test_what_node_and_chromium_reached_is_added_up(root: Path, tmp_path: Path) -> None:
    reached = tmp_path / "reached"
    file = (root / "static/dashboard/one.js").as_uri()
    page = "http://127.0.0.1:41234/static/dashboard/one.js"
    report(reached, "node.json", file, [WHOLE], [{**ONE, "count": 0}], [{**TWO, "count": 1}])
    report(reached, "chromium.json", page, [WHOLE], [ONE, BLOCK], [TWO])
    report(reached, "foreign.json", "http://127.0.0.1:41234/static/htmx.js", [WHOLE])
    report(reached, "test.json", "file:///elsewhere/static/other.js", [WHOLE])
    report(reached, "inner.json", "node:internal/timers", [WHOLE])
    assert script_coverage.table(reached, root) == [
        ScriptRow("static/dashboard/one.js", 6, 4),
        ScriptRow("static/other.js", 1, 0),
        ScriptRow("all", 7, 4),
    ]


def test_a_row_is_one_line_of_text() -> None:
    row = str(ScriptRow("static/dashboard/one.js", 6, 4))
    assert row.split() == ["static/dashboard/one.js", "6", "4", "66.7", "%"]
    assert ScriptRow("static/none.js", 0, 0).percent == 100.0
