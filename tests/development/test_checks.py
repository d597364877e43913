import os
import sys
from pathlib import Path

import pytest

from development import checks, node
from development.checks import Check


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
    assert "lint          FAILED" in out and "line 3 is long" in out


def test_all_checks_run_though_the_first_one_fails(capsys: pytest.CaptureFixture[str]) -> None:
    failing, passing = Check("first", python("1/0")), Check("second", python(""))
    assert not checks.run_all([failing, passing], fix=False)
    assert "second        ok" in capsys.readouterr().out


def test_a_cure_is_tried_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    look = "import os, sys; sys.exit(not os.path.exists(os.environ['INSPECTOR_DATA_DIR'] + '/x'))"
    mend = "import os; open(os.environ['INSPECTOR_DATA_DIR'] + '/x', 'w').close()"
    check = Check("format", python(look), python(mend))
    assert not checks.run_all([check], fix=False)
    assert checks.run_all([check], fix=True)


def test_what_cannot_be_checked_is_told_in_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks.node, "find_tools_or_install", lambda: "there is no Node: get it")
    unchecked: list[str] = []
    assert list(checks.script_checks(unchecked)) == []
    assert checks.run_all([Check("lint", python(""))], fix=False, unchecked=unchecked)
    lint, last = capsys.readouterr().out.splitlines()
    assert (
        lint.startswith("lint") and last == "NOT CHECKED: the scripts, for there is no Node: get it"
    )


def test_scripts_are_linted_and_typed_where_the_tools_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = node.Tools(Path("/opt/node"))
    monkeypatch.setattr(checks.node, "find_tools_or_install", lambda: tools)
    unchecked: list[str] = []
    lint, types, node_types, panel_types = checks.script_checks(unchecked)
    assert unchecked == []
    assert lint.command == ("/opt/node", node.BIOME, "check")
    assert lint.cure == ("/opt/node", node.BIOME, "check", "--write")
    assert types.command == ("/opt/node", node.TSC, "--project", "jsconfig.json")
    assert node_types.command[-1] == "clients/node/jsconfig.json"
    assert panel_types.command[-1] == "clients/devtools/jsconfig.json"
