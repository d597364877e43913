"""Finds the test files that a change can affect: by imports, dotted names in strings, and fixtures.

Code found only by reflection (modules listed from a folder, commands by name) is covered only by
the rules below, so all tests are run before a release. CONTRIBUTING states these limits.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from development.runs import ROOT
from development.selection import SCRIPT_TESTS

PACKAGES = ("inspector", "api", "development", "tests", "bench", "deploy", "clients")
# Their modules are named from here on.
CLIENTS = ("clients/python/",)
REACHES_ALL = re.compile(
    r"inspector/settings\.py|tests/(conftest|settings)\.py|pyproject\.toml|requirements.*\.lock"
)
PAGES = re.compile(r"(templates|static)/")
URLS = "inspector/urls.py"
COMMANDS = "inspector/operations/management/commands"
ASKS_ADDRESSES = re.compile(r"\bdjango\.test\b|\blive_server\b|\brender_to_string\b")
STARTS_COMMANDS = re.compile(r"manage\.py|\bcall_command\b")
DOTTED = re.compile(r"(?:inspector|api)(?:\.\w+)+")
FIXTURE = re.compile(r"@pytest\.fixture(?P<options>.*?)\ndef (?P<name>\w+)", re.DOTALL)


class UnknownCommit(Exception):
    """Raised if git does not know the commit, or is not installed."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Affected test files and all others, as paths below the root."""

    tests: list[str]
    others: list[str]


def reach(since: str) -> Reach:
    """Returns the test files that changes since commit ``since`` can affect, and the others."""
    tree, changed = Tree(ROOT), changed_files(since)
    reached = tree.reached_by(changed) | scripts_reached_by(changed)
    tests = [path for path in tree.texts if Path(path).name.startswith("test_")] + scripts()
    return Reach(
        [path for path in tests if path in reached], [path for path in tests if path not in reached]
    )


def scripts() -> list[str]:
    """Tests that run in Node."""
    files = sorted(file for each in SCRIPT_TESTS for file in (ROOT / each).rglob("*.test.js"))
    return [file.relative_to(ROOT).as_posix() for file in files]


def scripts_reached_by(changed: set[str]) -> set[str]:
    """All of them if any script changed, since they are quick."""
    return set(scripts()) if any(path.endswith(".js") for path in changed) else set()


def changed_files(since: str) -> set[str]:
    """Changed, removed and new files, committed or not."""
    changed = git("diff", "--name-only", since, "--")
    new = git("ls-files", "--others", "--exclude-standard")
    return {*changed.splitlines(), *new.splitlines()}


def git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise UnknownCommit("there is no git here to ask what changed") from error
    if done.returncode:
        raise UnknownCommit(done.stderr.strip().partition("\n")[0])
    return done.stdout


class Tree:
    """The Python files below ``root`` and what each of them depends on."""

    def __init__(self, root: Path) -> None:
        files = [file for package in PACKAGES for file in sorted((root / package).rglob("*.py"))]
        self.texts = {file.relative_to(root).as_posix(): file.read_text() for file in files}

    def reached_by(self, changed: set[str]) -> set[str]:
        """Files that depend on a changed one, directly or not."""
        if any(REACHES_ALL.fullmatch(path) for path in changed):
            return set(self.texts)
        reached: set[str] = set()
        waiting = [*self.touched_by(changed)]
        while waiting:
            path = waiting.pop()
            if path not in reached:
                reached.add(path)
                waiting += self.users.get(path, ())
        return reached

    def touched_by(self, changed: set[str]) -> Iterator[str]:
        """Start files of the search; a changed file that is not Python counts where it is named."""
        for path in changed:
            if path.endswith(".py"):
                yield from (path, *self.users.get(path, ()))
                continue
            if PAGES.match(path):
                yield URLS
            name = Path(path).name
            yield from (file for file, text in self.texts.items() if name in text)

    @cached_property
    def users(self) -> dict[str, set[str]]:
        users: dict[str, set[str]] = {}
        for path, text in self.texts.items():
            for needed in self.needed_by(path, text):
                users.setdefault(needed, set()).add(path)
        return users

    def needed_by(self, path: str, text: str) -> Iterator[str]:
        for name in names_in(text):
            yield from self.files_of(name)
        if ASKS_ADDRESSES.search(text):
            yield URLS
        if STARTS_COMMANDS.search(text):
            yield from (file for file in self.texts if file.startswith(COMMANDS))
        yield from self.fixtures_of(path, text)

    def files_of(self, dotted: str) -> Iterator[str]:
        """Files of a dotted name: the module, or the one that defines it, and its packages."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            place = "/".join(parts[:length])
            for file in (f"{place}.py", f"{place}/__init__.py"):
                yield from (
                    path for above in ("", *CLIENTS) if (path := above + file) in self.texts
                )

    def fixtures_of(self, path: str, text: str) -> Iterator[str]:
        """The conftest files above with a fixture the file names, or with an autouse fixture."""
        for folder in Path(path).parents:
            above = f"{folder.as_posix()}/conftest.py"
            fixtures = FIXTURE.finditer(self.texts.get(above, ""))
            if any("autouse" in f["options"] or named(f["name"], text) for f in fixtures):
                yield above


def named(name: str, text: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def names_in(text: str) -> Iterator[str]:
    """Imported names, and dotted names in strings, as in settings."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{name.name}" for name in names)
            case ast.Constant(value=str(value)) if DOTTED.fullmatch(value):
                yield value
