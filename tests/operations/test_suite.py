from pathlib import Path

import pytest

from inspector.operations import suite
from inspector.operations.suite import Counts, Parts, Run

ALL = ["tests", "--ignore=tests/browser"]
BOTH = [
    f"tests/{name}"
    for name in (
        "api",
        "archive",
        "dashboard",
        "faults",
        "operations/backup",
        "production",
        "teams",
    )
]
THIS_FILE = "tests/operations/test_suite.py"
CLAIMS = "tests/archive/test_claims.py"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], Parts(["-n", "auto", *ALL], ["tests/browser"], ["-n", "auto", *BOTH])),
        (
            ["-k", "tests"],
            Parts(
                ["-n", "auto", "-k", "tests", *ALL],
                ["-k", "tests", "tests/browser"],
                ["-n", "auto", "-k", "tests", *BOTH],
            ),
        ),
        (["--pdb"], Parts(["--pdb", *ALL], ["--pdb", "tests/browser"], ["--pdb", *BOTH])),
        (["tests"], Parts(ALL, ["tests/browser"], BOTH)),
        ([THIS_FILE, "-x"], Parts(["-x", THIS_FILE, "--ignore=tests/browser"], None, None)),
        (
            [f"{CLAIMS}::test_a"],
            Parts([f"{CLAIMS}::test_a", "--ignore=tests/browser"], None, [f"{CLAIMS}::test_a"]),
        ),
        (["tests/archive"], Parts(["tests/archive", ALL[1]], None, ["tests/archive"])),
        (["tests/browser/conftest.py"], Parts(None, ["tests/browser/conftest.py"], None)),
    ],
)
def test_arguments_reach_the_runs_that_they_belong_to(arguments: list[str], parts: Parts) -> None:
    assert suite.split(arguments) == parts


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


def test_what_was_not_tested_is_told_in_the_last_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite, "pytest", lambda *_: Run(0, Counts(passed=3)))
    monkeypatch.setattr(suite.chromium, "find_or_install", lambda: None)
    monkeypatch.setattr(suite.servers, "find_or_install", lambda: None)
    assert suite.run([]) == 0
    summary, pages, servers = capsys.readouterr().out.splitlines()
    assert "all tests: 3 passed in" in summary
    assert pages.startswith("NOT TESTED: the pages") and "apt-get install chromium" in pages
    assert servers.startswith("NOT TESTED: PostgreSQL and Redis") and "TEST_REDIS_URL" in servers


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
