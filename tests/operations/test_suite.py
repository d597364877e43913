from pathlib import Path

import pytest

from inspector.operations import suite
from inspector.operations.suite import Counts, Run

ALL = ["tests", "--ignore=tests/browser"]
THIS_FILE = "tests/operations/test_suite.py"


@pytest.mark.parametrize(
    ("arguments", "plain", "browser"),
    [
        ([], ["-n", "auto", *ALL], ["tests/browser"]),
        (["-x"], ["-n", "auto", "-x", *ALL], ["-x", "tests/browser"]),
        (["-k", "tests"], ["-n", "auto", "-k", "tests", *ALL], ["-k", "tests", "tests/browser"]),
        (["--pdb"], ["--pdb", *ALL], ["--pdb", "tests/browser"]),
        (["tests"], ALL, ["tests/browser"]),
        ([THIS_FILE, "-x"], ["-x", THIS_FILE, "--ignore=tests/browser"], None),
        ([f"{THIS_FILE}::test_a"], [f"{THIS_FILE}::test_a", "--ignore=tests/browser"], None),
        (["tests/browser/conftest.py"], None, ["tests/browser/conftest.py"]),
    ],
)
def test_arguments_reach_the_run_that_they_belong_to(
    arguments: list[str], plain: list[str] | None, browser: list[str] | None
) -> None:
    assert suite.split(arguments) == (plain, browser)


@pytest.mark.parametrize(
    ("codes", "code"), [([0, 0], 0), ([0, 5], 0), ([5, 0], 0), ([1, 0], 1), ([5, 5], 5), ([], 5)]
)
def test_a_run_without_tests_is_well_beside_one_with_tests(codes: list[int], code: int) -> None:
    assert suite.exit_code([Run(code, Counts()) for code in codes]) == code


def test_counts_are_added_up_from_the_reports(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite tests="7" skipped="1" failures="2" errors="1"/></testsuites>'
    )
    counts = suite.counts_in(report) + suite.counts_in(tmp_path / "none.xml")
    assert str(counts) == "3 failed, 3 passed, 1 skipped"


def test_untested_pages_are_told_in_the_last_line(capsys: pytest.CaptureFixture[str]) -> None:
    suite.tell([Run(0, Counts(passed=3))], 1.5, without_chromium=True)
    *_, summary, last = capsys.readouterr().out.splitlines()
    assert "3 passed in 1.50s" in summary
    assert last.startswith("NOT TESTED: the pages") and "apt-get install chromium" in last
