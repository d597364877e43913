import io
from collections import Counter
from pathlib import Path

import pytest

from development import runs
from development.runs import USAGE_ERROR, Counts, Run

REPORT = """
<testsuites><testsuite tests="7" skipped="2" failures="2" errors="1">
  <testcase name="a"><skipped message="run by manage.py test --all"/></testcase>
  <testcase name="b"><skipped message="run by manage.py test --all"/></testcase>
</testsuite></testsuites>
"""


@pytest.mark.parametrize(
    ("codes", "code"), [([0, 0], 0), ([0, 5], 0), ([5, 0], 0), ([1, 0], 1), ([5, 5], 5), ([], 5)]
)
def test_a_run_without_tests_is_well_beside_one_with_tests(codes: list[int], code: int) -> None:
    assert runs.exit_code_of([Run("", code, Counts()) for code in codes]) == code


def test_counts_are_added_up_from_the_reports(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    counts = runs.counts_in(report) + runs.counts_in(tmp_path / "none.xml")
    assert str(counts) == "3 failed, 2 passed, 2 skipped"
    assert counts.skipped == Counter({"run by manage.py test --all": 2})


def test_a_process_is_told_with_what_it_took() -> None:
    run = runs.pytest("this", ["--version"])
    assert run.exit_code == 0 and run.counts == Counts() and run.complaint == ""
    assert run.seconds > 0 and run.processor_seconds > 0


@pytest.mark.thorough
def test_an_unknown_option_is_one_line_and_shows_nothing_else(
    capfd: pytest.CaptureFixture[str],
) -> None:
    run = runs.pytest("this", ["--frobnicate"])
    assert run.exit_code == USAGE_ERROR
    assert "unrecognized arguments: --frobnicate" in run.complaint
    assert "\n" not in run.complaint
    assert capfd.readouterr().err == ""


def test_what_a_process_complains_of_otherwise_is_passed_on() -> None:
    output = io.BytesIO()
    assert runs.complaint_in(1, io.BytesIO(b"a warning\n"), output) == ""
    assert output.getvalue() == b"a warning\n"


def test_servers_of_somebody_and_forbidden_bytecode_are_not_handed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TEST_DATABASE_URL", "TEST_REDIS_URL", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, "1")
        assert name not in runs.clean({})


ONCE = """
from pathlib import Path

def test_passes():
    pass

def test_fails_once():
    seen = Path(__file__).with_name("seen")
    is_first = not seen.exists()
    seen.touch()
    assert not is_first
"""


@pytest.mark.thorough
def test_a_test_that_fails_once_is_named_and_counts_as_passed(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(ONCE)
    run = runs.pytest_twice("this", ["-q", "-n", "2", "--dist=worksteal", str(tmp_path)])
    assert (run.exit_code, run.counts.passed, run.counts.failed) == (0, 2, 0)
    [flaky] = run.flaky
    assert flaky.endswith("test_it.py::test_fails_once")


def test_a_test_that_fails_twice_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(ONCE + "\ndef test_fails():\n    assert False\n")
    run = runs.pytest_twice("this", ["-q", str(tmp_path)])
    assert (run.exit_code, run.counts.passed, run.counts.failed) == (1, 2, 1)
    assert len(run.flaky) == 1


@pytest.mark.thorough
def test_a_file_that_cannot_be_collected_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import nothing_of_this_name")
    run = runs.pytest_twice("this", ["-q", str(tmp_path)])
    assert (run.exit_code != 0, run.flaky) == (True, ())


FILE_ONCE = """
from pathlib import Path

seen = Path(__file__).with_name("seen")
is_first = not seen.exists()
seen.touch()
assert not is_first

def test_passes():
    pass
"""


@pytest.mark.thorough
@pytest.mark.parametrize("options", [["-q"], ["-q", "-n", "1"]], ids=["alone", "beside"])
def test_a_file_that_can_be_collected_later_fails_the_run_all_the_same(
    tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "test_it.py").write_text(FILE_ONCE)
    run = runs.pytest_twice("this", [*options, str(tmp_path)])
    assert (run.exit_code != 0, run.flaky) == (True, ())
