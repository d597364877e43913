"""The action for workflows and the hook for commits: what their steps run, and on what."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.operations.test_wheel import ROOT, WHOLE

SCRIPT = Path("slim/pre-commit.sh")
SLIM: dict[str, Any] = tomllib.loads((ROOT / "slim/pyproject.toml").read_text())

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
PYTHON, INSTALL, INSPECT = ACTION["runs"]["steps"]
DEFAULTS = {name: value.get("default", "") for name, value in ACTION["inputs"].items()}


def runner(folder: Path) -> Path:
    """A place of a runner in which the command is the one of this checkout."""
    command = folder / "temp" / "inspect-responses" / "bin" / "inspect-responses"
    command.parent.mkdir(parents=True)
    command.write_text(
        f'#!/bin/sh\nINSPECTOR_BOOTSTRAP=0 exec {sys.executable} {ROOT}/manage.py inspect "$@"\n'
    )
    command.chmod(0o755)
    (folder / "work").mkdir()
    return folder / "work"


def ran(work: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The step as a runner runs it: ``bash --noprofile --norc -eo pipefail``."""
    given = {**DEFAULTS, **{name.replace("_", "-"): value for name, value in inputs.items()}}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
        for name, value in INSPECT["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", INSPECT["run"]],
        cwd=work,
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(work.parent / "temp"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def work(tmp_path: Path) -> Path:
    found = runner(tmp_path)
    (found / "good one.json").write_bytes(WHOLE)
    (found / "cut.json").write_bytes(WHOLE[:-30])
    return found


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"paths": "good one.json"}, 0),
        ({"paths": "good one.json\n\n  cut.json"}, 2),
        ({"paths": "good one.json\ncut.json\n"}, 1),
        ({"paths": "cut.json", "fail_on": ""}, 0),
        ({"paths": "good one.json", "fail_on": "error result=answered"}, 1),
        ({"paths": "good one.json", "fail_on": "warning", "ignore": "no.such-code"}, 2),
        ({"paths": "--help"}, 2),
        ({"paths": "$(touch made)\n`touch made`"}, 2),
    ],
)
def test_the_step_fails_as_its_inputs_say_and_runs_none_of_them(
    work: Path, inputs: dict[str, str], code: int
) -> None:
    done = ran(work, **inputs)
    assert done.returncode == code, done.stderr
    assert not (work / "made").exists()


def test_findings_are_annotations_and_stand_in_a_file_that_is_written_though_the_step_fails(
    work: Path,
) -> None:
    done = ran(work, paths="cut.json", sarif="out.sarif")
    assert done.returncode == 1
    assert "::error file=cut.json" in done.stdout
    [run] = json.loads((work / "out.sarif").read_text())["runs"]
    assert run["results"]


def test_no_input_stands_in_a_script_and_the_wheel_that_only_inspects_is_installed() -> None:
    for step in (INSTALL, INSPECT):
        assert "${{" not in step["run"]
    assert '"$ACTION/slim[all]"' in INSTALL["run"]
    assert INSTALL["env"]["ACTION"] == "${{ github.action_path }}"


def test_it_sets_up_a_python_that_is_new_enough_and_leaves_the_workflows_alone() -> None:
    assert PYTHON["uses"].startswith("actions/setup-python@")
    wanted = Version(PYTHON["with"]["python-version"])
    assert wanted in SpecifierSet(SLIM["project"]["requires-python"])
    assert PYTHON["with"]["update-environment"] is False
    assert INSTALL["env"]["PYTHON"] == f"${{{{ steps.{PYTHON['id']}.outputs.python-path }}}}"
    assert INSTALL["run"].startswith('"$PYTHON" -m venv')


@pytest.mark.parametrize(
    ("path", "is_looked_at"),
    [
        ("tests/answer.sse", True),
        ("calls.har", True),
        ("a.reads.jsonl", True),
        ("recordings/a.json", True),
        ("tests/recordings/deep/a.json", True),
        ("package.json", False),
        ("other.jsonl", False),
    ],
)
def test_the_hooks_look_at_recordings_alone(path: str, is_looked_at: bool) -> None:
    for hook in HOOKS:
        assert bool(re.search(hook["files"], path)) is is_looked_at
    assert [hook["entry"].split()[0] for hook in HOOKS] == [str(SCRIPT), "inspect-responses"]


def test_the_hook_makes_its_environment_once_and_passes_on_what_it_is_given(tmp_path: Path) -> None:
    """As pre-commit runs it: from a clone, in the repository of whoever commits."""
    clone, bin_of = tmp_path / "clone" / "slim", tmp_path / "bin"
    for folder in (clone, bin_of, tmp_path / "work"):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / SCRIPT, clone)
    assert os.access(clone / SCRIPT.name, os.X_OK)
    said = tmp_path / "said"
    # In place of Python: `-m venv DIRECTORY` makes an environment whose programs say what they do.
    Path(bin_of, "python3").write_text(
        f'#!/bin/sh\necho "$0 $@" >> {said}\ncase "$2" in\n'
        'venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";;\n'
        'pip) cp "$0" "$(dirname "$0")/inspect-responses";;\nesac\n'
    )
    Path(bin_of, "python3").chmod(0o755)
    environment = {"PATH": f"{bin_of}{os.pathsep}{os.environ['PATH']}"}
    for file in ("a.sse", "b c.sse"):
        command = [clone / SCRIPT.name, "--fail-on", "error", file]
        subprocess.run(command, cwd=tmp_path / "work", env=environment, check=True)
    words = said.read_text().replace(str(tmp_path), "").splitlines()
    assert [each.split(" ", 1)[1] for each in words] == [
        "-m venv /clone/slim/.environment",
        "-m pip install --quiet --disable-pip-version-check /clone/slim[all]",
        "--fail-on error a.sse",
        "--fail-on error b c.sse",
    ]
