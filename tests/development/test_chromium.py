import subprocess
from pathlib import Path
from typing import Any

import pytest

from development import chromium, packages


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing installed but what a test puts into the folder; root, outside of any container."""
    monkeypatch.delenv("CHROMIUM_PATH", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(packages, "CONTAINER_MARKS", (tmp_path / "container",))
    monkeypatch.setattr(packages.os, "geteuid", lambda: 0)
    monkeypatch.setattr(packages, "NO_SERVICES", tmp_path / "policy")
    return tmp_path


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_chosen_one_is_taken_before_an_installed_one(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = program(bare_machine, "google-chrome")
    assert chromium.find() == installed
    monkeypatch.setenv("CHROMIUM_PATH", "/opt/chromium")
    assert chromium.find() == "/opt/chromium"


def test_pages_are_drawn_by_the_shell_if_there_is_one_and_nothing_is_chosen(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = program(bare_machine, "chromium")
    assert chromium.find_shell() == whole
    shell = program(bare_machine, "chromium-headless-shell")
    assert (chromium.find(), chromium.find_shell()) == (whole, shell)
    monkeypatch.setenv("CHROMIUM_PATH", "/opt/chromium")
    assert chromium.find_shell() == "/opt/chromium"


def test_nothing_is_installed_on_the_machine_of_a_person(bare_machine: Path) -> None:
    program(bare_machine, "apt-get")
    assert chromium.find_or_install() is None


@pytest.mark.parametrize("where", ["container", "CI"])
def test_where_nothing_is_anybodys_own_it_is_installed(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    program(bare_machine, "apt-get")
    if where == "CI":
        monkeypatch.setenv("CI", "true")
    else:
        (bare_machine / "container").touch()

    def run(command: list[str], **_: Any) -> "subprocess.CompletedProcess[str]":
        assert "exit 101" in packages.NO_SERVICES.read_text()
        if "install" in command:
            program(bare_machine, command[-1])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(packages.subprocess, "run", run)
    assert chromium.find_or_install() == str(bare_machine / "chromium")
    assert chromium.find_shell() == str(bare_machine / "chromium-headless-shell")
    assert not packages.NO_SERVICES.exists()


def test_only_root_installs(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare_machine, "apt-get")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(packages.os, "geteuid", lambda: 1000)
    assert not packages.may_install()
