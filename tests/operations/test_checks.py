import os
import sys

import pytest

from inspector.operations import checks
from inspector.operations.checks import Check


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


def test_a_check_that_holds_takes_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert checks.run(Check("lint", python("print('all is well')")), dict(os.environ), fix=False)
    [line] = capsys.readouterr().out.splitlines()
    assert line.split()[:2] == ["lint", "ok"]


def test_a_check_that_fails_shows_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    program = "import sys; print('line 3 is long'); sys.exit(1)"
    assert not checks.run_all([Check("lint", python(program))], fix=False)
    out = capsys.readouterr().out
    assert "lint         FAILED" in out and "line 3 is long" in out


def test_all_checks_run_though_the_first_one_fails(capsys: pytest.CaptureFixture[str]) -> None:
    failing, passing = Check("first", python("1/0")), Check("second", python(""))
    assert not checks.run_all([failing, passing], fix=False)
    assert "second       ok" in capsys.readouterr().out


def test_a_cure_is_tried_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    look = "import os, sys; sys.exit(not os.path.exists(os.environ['INSPECTOR_DATA_DIR'] + '/x'))"
    mend = "import os; open(os.environ['INSPECTOR_DATA_DIR'] + '/x', 'w').close()"
    check = Check("format", python(look), python(mend))
    assert not checks.run_all([check], fix=False)
    assert checks.run_all([check], fix=True)
