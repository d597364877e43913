from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import IO, Any

import pytest

from inspector.operations import suite
from inspector.operations.suite import Counts, Parts, Run

ELSEWHERE = ["--ignore=tests/browser", "--ignore=tests/faults"]
ALL = ["tests", *ELSEWHERE]
BOTH = [
    f"tests/{name}"
    for name in (
        *("api", "archive", "dashboard", "feedback", "operations/backup"),
        *("production", "teams", "usage"),
    )
]
PAGES, FAULTS = "tests/browser", "tests/faults"
WHOLE = ["-n", "auto", "--durations=10"]
THIS_FILE = "tests/operations/test_suite.py"
CLAIMS = "tests/archive/test_claims.py"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], Parts([*WHOLE, *ALL], [*WHOLE, PAGES], [*WHOLE, *BOTH], [*WHOLE, FAULTS])),
        (
            ["-k", "tests"],
            Parts(
                [*WHOLE, "-k", "tests", *ALL],
                [*WHOLE, "-k", "tests", PAGES],
                [*WHOLE, "-k", "tests", *BOTH],
                [*WHOLE, "-k", "tests", FAULTS],
            ),
        ),
        (
            ["--pdb"],
            Parts(["--pdb", *ALL], ["--pdb", PAGES], ["--pdb", *BOTH], ["--pdb", FAULTS], True),
        ),
        (["tests"], Parts(ALL, [PAGES], BOTH, [FAULTS])),
        ([THIS_FILE, "-x"], Parts(["-x", THIS_FILE, *ELSEWHERE])),
        (
            [f"{CLAIMS}::test_a"],
            Parts([f"{CLAIMS}::test_a", *ELSEWHERE], production=[f"{CLAIMS}::test_a"]),
        ),
        (["tests/archive"], Parts(["tests/archive", *ELSEWHERE], production=["tests/archive"])),
        (["tests/browser/conftest.py"], Parts(browser=["tests/browser/conftest.py"])),
        (["tests/faults", "-k", "W2"], Parts(faults=["-k", "W2", "tests/faults"])),
    ],
)
def test_arguments_reach_the_runs_that_they_belong_to(arguments: list[str], parts: Parts) -> None:
    assert suite.split(arguments) == parts


@pytest.mark.parametrize(
    ("codes", "code"), [([0, 0], 0), ([0, 5], 0), ([5, 0], 0), ([1, 0], 1), ([5, 5], 5), ([], 5)]
)
def test_a_run_without_tests_is_well_beside_one_with_tests(codes: list[int], code: int) -> None:
    assert suite.exit_code([Run("", code, Counts()) for code in codes]) == code


def test_counts_are_added_up_from_the_reports(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite tests="7" skipped="1" failures="2" errors="1"/></testsuites>'
    )
    counts = suite.counts_in(report) + suite.counts_in(tmp_path / "none.xml")
    assert str(counts) == "3 failed, 3 passed, 1 skipped"


def test_what_was_not_tested_is_told_in_the_last_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        suite, "pytest", lambda name, *_, **__: Run(name, 0, Counts(passed=3), 2, 1)
    )
    monkeypatch.setattr(suite.chromium, "find_or_install", lambda: None)
    monkeypatch.setattr(suite.servers, "find_or_install", lambda: None)
    assert suite.run([]) == 0
    sqlite, summary, *untested = capsys.readouterr().out.splitlines()
    assert sqlite == "SQLite: 3 passed (2 s, 1 s of a processor)"
    assert "all tests: 3 passed in" in summary
    faults, pages, servers = untested
    assert (
        faults.startswith("NOT TESTED: what breaks servers")
        and "apt-get install postgresql" in faults
    )
    assert pages.startswith("NOT TESTED: the pages") and "apt-get install chromium" in pages
    assert servers.startswith("NOT TESTED: PostgreSQL and Redis") and "TEST_REDIS_URL" in servers


def test_faults_are_run_beside_the_others_and_shown_after_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, ended = Event(), Event()

    def pytest_process(name: str, *_: Any, output: IO[bytes] | None = None) -> Run:
        if name == "faults":
            assert output is not None
            begun.set()
            assert ended.wait(10)
            output.write(b"a table\n")
            return Run(name, 1, Counts(failed=1))
        assert begun.wait(10), "nothing runs beside this"
        print("a summary")
        ended.set()
        return Run(name, 0, Counts(passed=1))

    monkeypatch.setattr(suite, "pytest", pytest_process)
    monkeypatch.setattr(suite.chromium, "find_or_install", lambda: None)
    monkeypatch.setattr(suite, "production", lambda: nullcontext({}))
    assert suite.run([]) == 1
    told = capsys.readouterr().out
    assert told.index("a summary") < told.index("a table") < told.index("1 failed, 2 passed")


def test_a_process_is_told_with_what_it_took() -> None:
    run = suite.pytest("this", ["--version"])
    assert run.exit_code == 0 and run.counts == Counts()
    assert run.seconds > 0 and run.processor_seconds > 0


def test_chosen_servers_are_used_and_found_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_DATABASE_URL", "postgresql://chosen/db")
    monkeypatch.setenv("TEST_REDIS_URL", "redis://chosen")
    monkeypatch.setattr(suite.servers, "find_or_install", pytest.fail)
    with suite.production() as addresses:
        assert addresses == {
            "TEST_DATABASE_URL": "postgresql://chosen/db",
            "TEST_REDIS_URL": "redis://chosen",
        }
    assert "TEST_REDIS_URL" not in suite.clean({})


def test_what_is_compiled_once_is_kept_for_the_other_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in suite.clean({})
