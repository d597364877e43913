from collections import Counter
from pathlib import Path

import pytest

from development import costs
from development.runs import ROOT, Counts, Run, counts_in

REPORT = """
<testsuites><testsuite tests="3">
  <testcase classname="tests.core.test_tape"><properties><property name="processor_seconds" value="1.25"/></properties></testcase>
  <testcase classname="tests.core.test_tape"><properties><property name="processor_seconds" value="2.5"/></properties></testcase>
  <testcase classname="tests.web.test_turns"><properties><property name="color" value="9"/></properties></testcase>
</testsuite></testsuites>
"""


def test_the_processor_time_of_each_test_is_added_up_by_module(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    assert (counts_in(report) + counts_in(report)).seconds == {"tests.core.test_tape": 7.5}


def test_folders_are_told_dearest_first_and_then_the_dearest_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seconds = {"tests.core.test_tape": 8, "tests.core.rules.test_x": 400}
    seconds |= {f"tests.web.test_{n}": n for n in range(20)}
    run = Run("", 0, Counts(seconds=Counter(seconds)), processor_seconds=700)
    costs.tell([run], {"tests/core": 407, costs.ANY_OTHER: 190})
    core, web, first, *others, last = capsys.readouterr().out.splitlines()
    assert core == "    408 s  tests/core, may take 407 s: TOO MUCH"
    assert web == "    190 s  tests/web, may take 190 s"
    assert first == "    400 s  tests.core.rules.test_x" and len(others) == costs.DEAREST - 1
    assert last == "    700 s  in all"


def test_aims_are_of_folders_that_there_are() -> None:
    aims = costs.aims()
    folders = {name for name in aims if (ROOT / name).is_dir()}
    assert set(aims) == {*folders, costs.ANY_OTHER, costs.IN_ALL}
