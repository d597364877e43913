from collections import Counter
from contextlib import nullcontext
from threading import Barrier
from typing import IO, Any

import pytest

from development import suite
from development.runs import USAGE_ERROR, Counts, Run

LONG = "run by manage.py test --all"


def passed(name: str, *_: Any, **__: Any) -> Run:
    return Run(name, 0, Counts(passed=3, skipped=Counter({LONG: 2})), 2, 1)


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a browser nor servers; every run passes."""
    monkeypatch.setattr(suite, "pytest", passed)
    monkeypatch.setattr(suite.chromium, "find_or_install", lambda: None)
    monkeypatch.setattr(suite.servers, "find_or_install", lambda: None)
    monkeypatch.setattr(suite.scripts, "run", lambda *_: None)


def test_what_was_not_tested_is_told_in_the_last_lines(
    nothing_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert suite.run([]) == 0
    cost, sqlite, summary, *untested = capsys.readouterr().out.splitlines()
    assert cost.startswith("      1 s  in all, may take ")
    assert sqlite == "SQLite: 3 passed, 2 skipped (2 s, 1 s of a processor)"
    assert "all tests: 3 passed, 2 skipped in" in summary
    faults, pages, servers, scripts, skipped = untested
    assert faults.startswith("NOT TESTED: what breaks servers")
    assert "apt-get install postgresql" in faults
    assert pages.startswith("NOT TESTED: the pages") and "apt-get install chromium" in pages
    assert servers.startswith("NOT TESTED: PostgreSQL and Redis") and "TEST_REDIS_URL" in servers
    assert scripts.startswith(
        "NOT TESTED: the scripts that need no page, for there is no Node 20: "
    )
    assert skipped == f"NOT TESTED: 2 tests: {LONG}"


@pytest.mark.thorough
def test_an_unknown_option_ends_everything_with_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert suite.run(["--frobnicate", "tests/core"]) == USAGE_ERROR
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err == "manage.py test: unrecognized arguments: --frobnicate\n"


def test_a_chosen_server_that_is_dead_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite, "pytest", passed)
    monkeypatch.setenv("TEST_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert suite.run(["tests/archive"]) == USAGE_ERROR
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("manage.py test: TEST_DATABASE_URL: ")
    assert "Connection refused" in line


def test_runs_are_beside_each_other_and_shown_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["SQLite", "faults", "pages", "PostgreSQL and Redis"]
    two_begun = Barrier(2)

    def pytest_process(name: str, *_: Any, output: IO[bytes] | None = None, **__: Any) -> Run:
        if name in names[:2]:
            two_begun.wait(120)
        if output is None:
            print(f"dots of {name}")
        else:
            output.write(f"dots of {name}\n".encode())
        return Run(name, 0, Counts(passed=1))

    monkeypatch.setattr(suite, "pytest", pytest_process)
    monkeypatch.setattr(suite.chromium, "find_or_install", lambda: "chromium")
    monkeypatch.setattr(suite.servers, "find_or_install", lambda: "programs")
    monkeypatch.setattr(suite, "production", lambda: nullcontext({}))
    monkeypatch.setattr(suite.scripts, "run", lambda *_: None)
    assert suite.run([]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:4] == [f"dots of {name}" for name in names]


def test_chosen_servers_are_used_and_found_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_DATABASE_URL", "postgresql://chosen/db")
    monkeypatch.setenv("TEST_REDIS_URL", "redis://chosen")
    monkeypatch.setattr(suite.servers, "trouble_at", lambda url: "")
    monkeypatch.setattr(suite.servers, "find_or_install", pytest.fail)
    with suite.production() as addresses:
        assert addresses == {
            "TEST_DATABASE_URL": "postgresql://chosen/db",
            "TEST_REDIS_URL": "redis://chosen",
        }
