from pathlib import Path

from development import costs
from development.runs import counts_in

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


def test_folders_are_told_dearest_first() -> None:
    seconds = {"tests.web.test_turns": 1, "tests.core.test_tape": 8.0, "tests.core.rules.test_x": 4}
    assert [*costs.by_folder(seconds)] == [
        "     12 s  tests/core",
        "      1 s  tests/web",
    ]


def test_the_dearest_files_are_told() -> None:
    seconds = {f"tests.web.test_{n}": n for n in range(20)}
    told = [*costs.dearest(seconds)]
    assert told[0] == "     19 s  tests/web/test_19.py" and len(told) == costs.DEAREST
