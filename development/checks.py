"""All checks besides the tests: each is a command line, some with a fix."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from development import node
from development.runs import ROOT

DJANGO_VERSION = "5.2"
CLIENT, NODE_CLIENT, PANEL = "clients/python", "clients/node", "clients/devtools"
TOOLS = Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Check:
    """``cure`` is the command that fixes what it can, run before the check with --fix."""

    name: str
    command: tuple[str, ...]
    cure: tuple[str, ...] = ()


def all_checks(unchecked: list[str]) -> list[Check]:
    """Return the checks; appends a line to ``unchecked`` for each that cannot run here."""
    return [
        Check("format", ruff("format", "--check"), ruff("format")),
        Check("lint", ruff("check"), ruff("check", "--fix", "--quiet")),
        Check("templates", djade("--check"), djade()),
        Check("imports", tool("lint-imports", "--no-logo")),
        Check("migrations", manage("makemigrations", "--check", "--dry-run")),
        Check("types", tool("mypy")),
        Check("client types", tool("mypy", "--config-file", f"{CLIENT}/pyproject.toml", CLIENT)),
        *script_checks(unchecked),
    ]


def script_checks(unchecked: list[str]) -> Iterator[Check]:
    tools = node.find_tools_or_install()
    if isinstance(tools, str):
        unchecked.append(f"the scripts, for {tools}")
        return
    yield Check("scripts lint", tools.biome("check"), tools.biome("check", "--write"))
    yield Check("scripts types", tools.tsc("--project", "jsconfig.json"))
    for name, folder in (("Node", NODE_CLIENT), ("panel", PANEL)):
        yield Check(f"{name} types", tools.tsc("--project", f"{folder}/jsconfig.json"))


def tool(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(TOOLS / name), *arguments)


def ruff(*arguments: str) -> tuple[str, ...]:
    return tool("ruff", *arguments, "--output-format=concise", ".")


def manage(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "manage.py", *arguments)


def djade(*options: str) -> tuple[str, ...]:
    templates = sorted(map(str, (ROOT / "templates").rglob("*.html")))
    return tool("djade", "--target-version", DJANGO_VERSION, *options, *templates)


def run_all(checks: Iterable[Check], fix: bool, unchecked: Sequence[str] = ()) -> bool:
    """Print a line per check and the output of those that fail; returns True if all pass.

    What could not be checked is listed last.
    """
    with tempfile.TemporaryDirectory() as data_dir:
        environment = {**os.environ, "INSPECTOR_DATA_DIR": data_dir, "INSPECTOR_BOOTSTRAP": "0"}
        is_well = all([run(check, environment, fix) for check in checks])
    for what in unchecked:
        print(f"NOT CHECKED: {what}", flush=True)
    return is_well


def run(check: Check, environment: dict[str, str], fix: bool) -> bool:
    started = time.monotonic()
    if fix and check.cure:
        execute(check.cure, environment)
    done = execute(check.command, environment)
    well = done.returncode == 0
    seconds = time.monotonic() - started
    print(f"{check.name:<13} {'ok' if well else 'FAILED':<6} {seconds:5.1f} s", flush=True)
    if not well:
        print(done.stdout, flush=True)
    return well


def execute(
    command: tuple[str, ...], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
