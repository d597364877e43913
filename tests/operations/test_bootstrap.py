import ast
import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inspector import bootstrap

ROOT = Path(__file__).parent.parent.parent
BOUND_SECONDS = 600.0

pytestmark = pytest.mark.timeout(2 * BOUND_SECONDS)

# Takes part in the installation of the folder named by the first argument, then says so.
START = """
import sys
from inspector import bootstrap
environment = bootstrap.Environment(sys.argv[1])
with bootstrap.only_one(sys.argv[1]) as turn:
    if not environment.holds([bootstrap.LOCK]):
        environment.install([bootstrap.LOCK], turn)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose locks name nothing, so that pip needs no network."""
    (tmp_path / bootstrap.LOCK).write_text("# nothing\n")
    (tmp_path / bootstrap.DEVELOPMENT_LOCK).write_text("# nothing either\n")
    return tmp_path


def start(folder: Path, path: str = "") -> "subprocess.Popen[str]":
    """Start an installation whose ``PATH`` is ``path``: by itself it finds no uv."""
    command = [bootstrap.base_python(), "-c", START, str(folder)]
    environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": ""}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)


def uv_that(does: str, folder: Path) -> str:
    """Put a program named uv into a folder of its own; return the folder for ``PATH``."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "uv").write_text(f"#!/bin/sh\n{does}\n")
    (programs / "uv").chmod(0o755)
    return str(programs)


def stamp(folder: Path) -> list[str]:
    return bootstrap.Environment(str(folder)).stamped()


def test_an_old_python_is_told_what_is_needed() -> None:
    with pytest.raises(
        bootstrap.BootstrapRefusal, match=r"^Response .* 3\.11 or newer; this is 3\.9\.$"
    ):
        bootstrap.refuse_old_python((3, 9, 2))


@pytest.mark.parametrize("name", ["manage.py", "inspector/bootstrap.py"])
def test_an_old_python_can_parse_what_it_runs(name: str) -> None:
    newer = (
        ast.JoinedStr,
        ast.AnnAssign,
        ast.NamedExpr,
        ast.AsyncFunctionDef,
        ast.Nonlocal,
        ast.Match,
        ast.YieldFrom,
    )
    for node in ast.walk(ast.parse((ROOT / name).read_text())):
        assert not isinstance(node, newer), ast.dump(node)
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None
            assert not node.args.kwonlyargs
            assert all(argument.annotation is None for argument in node.args.args)
        if isinstance(node, ast.Raise):
            assert node.cause is None


def test_the_inspector_package_itself_is_empty() -> None:
    assert (ROOT / "inspector/__init__.py").read_bytes() == b""


def test_bootstrap_steps_aside_when_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_BOOTSTRAP", "0")
    assert bootstrap.steps_aside()


def test_bootstrap_steps_aside_in_an_environment_of_somebody_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("INSPECTOR_BOOTSTRAP")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert bootstrap.steps_aside()


def test_bootstrap_is_at_work_in_its_own_environment_and_outside_of_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("INSPECTOR_BOOTSTRAP")
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert not bootstrap.steps_aside()
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    assert not bootstrap.steps_aside()


def test_tests_and_checks_need_more_than_the_rest() -> None:
    assert bootstrap.locks_for(["manage.py", "up"]) == [bootstrap.LOCK]
    assert bootstrap.locks_for(["manage.py"]) == [bootstrap.LOCK]
    assert bootstrap.locks_for(["manage.py", "test", "-x"])[0] == bootstrap.DEVELOPMENT_LOCK


def test_an_installation_without_the_tests_says_so(folder: Path) -> None:
    bootstrap.refuse_without_checkout(["manage.py", "up"], str(folder))
    with pytest.raises(bootstrap.BootstrapRefusal, match=r"^manage.py test needs a checkout .*\.$"):
        bootstrap.refuse_without_checkout(["manage.py", "test"], str(folder))
    (folder / "development").mkdir()
    bootstrap.refuse_without_checkout(["manage.py", "test"], str(folder))


def test_the_development_lock_holds_everything_that_the_other_does() -> None:
    def pins(name: str) -> set[str]:
        """Without markers: what one lock needs on some systems the other may need on all."""
        lines = (ROOT / name).read_text().splitlines()
        return {line.partition(" ")[0] for line in lines if re.match(r"[a-z0-9].*==", line)}

    assert pins(bootstrap.LOCK) <= pins(bootstrap.DEVELOPMENT_LOCK)


def test_the_data_directory_becomes_part_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("INSPECTOR_DATA_DIR", "before")
    monkeypatch.chdir(tmp_path)
    assert bootstrap.take_data_dir(["manage.py", "up", "--data-dir", "here", "--port", "1"]) == [
        *["manage.py", "up", "--port", "1"]
    ]
    assert os.environ["INSPECTOR_DATA_DIR"] == str(tmp_path / "here")
    assert bootstrap.take_data_dir(["manage.py", "--data-dir=/there", "up"]) == ["manage.py", "up"]
    assert os.environ["INSPECTOR_DATA_DIR"] == "/there"


def test_what_stands_behind_a_double_dash_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_DATA_DIR", "before")
    argv = ["manage.py", "test", "--", "--data-dir", "x"]
    assert bootstrap.take_data_dir(argv) == argv
    assert os.environ["INSPECTOR_DATA_DIR"] == "before"


def test_a_python_without_venv_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(bootstrap.BootstrapRefusal, match="apt-get install python3-venv$"):
        bootstrap.require_venv()


def test_a_folder_that_cannot_be_written_is_told_in_one_line(folder: Path) -> None:
    (folder / ".venv").touch()
    done = start(folder)
    told = done.communicate(timeout=BOUND_SECONDS)[1].splitlines()
    assert done.returncode != 0
    assert told[-1].startswith(
        f"inspector.bootstrap.BootstrapRefusal: Cannot make {folder}/.venv: "
    )


@pytest.mark.thorough
def test_two_starts_at_once_install_once(folder: Path) -> None:
    starts = [start(folder), start(folder)]
    told = "".join(process.communicate(timeout=BOUND_SECONDS)[1] for process in starts)
    assert [process.returncode for process in starts] == [0, 0]
    assert told.count("Installing the packages") == 1
    assert not bootstrap.Environment(str(folder)).has_pip()
    assert stamp(folder)[0].endswith(bootstrap.LOCK)


@pytest.mark.thorough
def test_what_a_killed_start_left_half_made_is_made_anew(folder: Path) -> None:
    killed = start(folder)
    deadline = time.monotonic() + BOUND_SECONDS
    while not stamp(folder) and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=BOUND_SECONDS)
    assert stamp(folder) == [bootstrap.INSTALLING]
    again = start(folder)
    again.communicate(timeout=BOUND_SECONDS)
    assert again.returncode == 0
    assert bootstrap.Environment(str(folder)).holds([bootstrap.LOCK])


@pytest.mark.thorough
def test_an_environment_made_by_hand_is_adopted_and_a_changed_lock_installed(folder: Path) -> None:
    environment = bootstrap.Environment(str(folder))
    subprocess.run([bootstrap.base_python(), "-m", "venv", environment.path], check=True)
    mark = Path(environment.path) / "made-by-hand"
    mark.touch()
    assert not environment.holds([bootstrap.LOCK])
    adopting = start(folder)
    adopting.communicate(timeout=BOUND_SECONDS)
    assert adopting.returncode == 0
    assert mark.exists()
    assert environment.holds([bootstrap.LOCK])
    (folder / bootstrap.LOCK).write_text("# changed\n")
    assert not environment.holds([bootstrap.LOCK])
    again = start(folder)
    again.communicate(timeout=BOUND_SECONDS)
    assert again.returncode == 0 and mark.exists()
    assert environment.holds([bootstrap.LOCK]) and not environment.has_pip()


def test_uv_installs_where_it_is_and_no_pip_is_brought(folder: Path) -> None:
    path = uv_that(f'echo "$@" > {folder}/asked', folder)
    installing = start(folder, path)
    told = installing.communicate(timeout=BOUND_SECONDS)[1]
    environment = bootstrap.Environment(str(folder))
    assert installing.returncode == 0, told
    assert environment.holds([bootstrap.LOCK]) and not environment.has_pip()
    assert (folder / "asked").read_text().split() == [
        *("pip", "install", "--quiet", "--python", environment.python),
        *("--require-hashes", "--no-deps", "-r", str(folder / bootstrap.LOCK)),
    ]


@pytest.mark.thorough
def test_pip_installs_what_uv_could_not(folder: Path) -> None:
    path = uv_that("echo no such mirror; exit 2", folder)
    installing = start(folder, path)
    told = installing.communicate(timeout=BOUND_SECONDS)[1]
    assert installing.returncode == 0
    assert "uv could not install them (no such mirror); pip tries." in told
    assert bootstrap.Environment(str(folder)).holds([bootstrap.LOCK])


@pytest.mark.thorough
def test_tests_and_checks_keep_pip(folder: Path) -> None:
    environment = bootstrap.Environment(str(folder))
    with bootstrap.only_one(str(folder)) as turn:
        environment.install([bootstrap.DEVELOPMENT_LOCK, bootstrap.LOCK], turn)
    assert environment.has_pip()


def test_an_environment_for_tests_also_serves_everything_else(folder: Path) -> None:
    environment = bootstrap.Environment(str(folder))
    Path(environment.python).parent.mkdir(parents=True)
    Path(environment.python).touch()
    environment.write_stamp(environment.lines([bootstrap.DEVELOPMENT_LOCK, bootstrap.LOCK]))
    assert environment.holds([bootstrap.LOCK])


def test_an_abandoned_installer_keeps_its_turn(folder: Path) -> None:
    with bootstrap.only_one(str(folder)) as turn:
        installer = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[turn]
        )
    mine = os.open(folder, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
    installer.communicate(b"\n", timeout=BOUND_SECONDS)
    fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(mine)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("Looking\nERROR: first\nERROR: No match for x\n", "ERROR: No match for x"),
        ("WARNING: Retrying after connection broken by 'X'\nERROR: y", "is there a network"),
        ("", "no output"),
    ],
)
def test_trouble_with_pip_is_told_in_one_line(output: str, reason: str) -> None:
    told = bootstrap.reason_of(output)
    assert reason in told
    assert "\n" not in told
