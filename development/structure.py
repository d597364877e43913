"""Metrics of the code structure: ``python -m development.structure [FOLDER]``.

Of the product only (``inspector``, ``api``), without migrations: class names used more than once,
imports between modules, folders that import each other, function lengths, share of comments, and
lines by package.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import median, quantiles

from development.runs import ROOT

PRODUCT = ("inspector", "api")
FRAMEWORK_NAMES = frozenset({"Meta", "Command", "Migration"})
"""Class names that Django prescribes."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A file; ``name`` is its dotted name, that of the folder for a package."""

    name: str
    text: str
    is_package: bool

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def folder(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def package(self) -> str:
        """``inspector.core`` for ``inspector.core.wire.sse``, ``api`` for ``api.body``."""
        parts = self.folder.split(".")
        return ".".join(parts[: 2 if parts[0] == "inspector" else 1])

    def public_classes(self) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name

    def function_lines(self) -> Iterator[int]:
        """Yields the length of each function without decorators and docstring."""
        for node in ast.walk(self.tree):
            if isinstance(node, Function):
                yield _lines_of(node)

    def imports(self) -> Iterator[str]:
        """Yields the dotted names of imported modules and members."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    def comment_lines(self) -> int:
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return sum(token.type == tokenize.COMMENT for token in tokens)


def _lines_of(function: Function) -> int:
    first, last = function.lineno, function.end_lineno or function.lineno
    if ast.get_docstring(function, clean=False) is not None:
        docstring = function.body[0]
        first += (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return last - first + 1


def modules(root: Path) -> list[Module]:
    paths = sorted(path for top in PRODUCT for path in (root / top).rglob("*.py"))
    return [_module(root, path) for path in paths if "migrations" not in path.parts]


def _module(root: Path, path: Path) -> Module:
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), path.read_text(), is_package)


def classes_by_name(found: Iterable[Module]) -> dict[str, list[str]]:
    """Public class names, each with the modules that define it."""
    named: dict[str, list[str]] = defaultdict(list)
    for module in found:
        for name in module.public_classes():
            if name not in FRAMEWORK_NAMES:
                named[name].append(module.name)
    return named


def repeated_classes(found: Iterable[Module]) -> dict[str, list[str]]:
    return {name: at for name, at in sorted(classes_by_name(found).items()) if len(at) > 1}


def importers(found: Iterable[Module]) -> dict[str, set[str]]:
    """Modules, each with those that import it or a name from it."""
    by_name = {module.name: module for module in found}
    users: dict[str, set[str]] = {name: set() for name in by_name}
    for module in by_name.values():
        for name in module.imports():
            imported = name if name in by_name else name.rpartition(".")[0]
            if imported in by_name and imported != module.name:
                users[imported].add(module.name)
    return users


def mutual_folders(found: Iterable[Module], users: Mapping[str, set[str]]) -> list[str]:
    """Pairs of folders that import each other, with the number of imports each way.

    A folder and one of its ancestors are not counted: a package and its parts may use each other.
    """
    folder_of = {module.name: module.folder for module in found}
    arrows: Counter[tuple[str, str]] = Counter()
    for imported, by in users.items():
        arrows.update((folder_of[user], folder_of[imported]) for user in by)
    return [
        f"{one} {arrows[one, other]} <> {arrows[other, one]} {other}"
        for one, other in combinations(sorted(set(folder_of.values())), 2)
        if arrows[one, other] and arrows[other, one] and not other.startswith(f"{one}.")
    ]


def shadowed_builtins(root: Path) -> int:
    command = [sys.executable, "-m", "ruff", "check", "--select", "A", "--output-format", "concise"]
    done = subprocess.run([*command, *PRODUCT], cwd=root, capture_output=True, text=True)
    return sum(": A0" in line for line in done.stdout.splitlines())


def report(root: Path) -> Iterator[str]:
    found = modules(root)
    repeated, users = repeated_classes(found), importers(found)
    lengths = [length for module in found for length in module.function_lines()]
    lines = Counter[str]()
    for module in found:
        lines[module.package] += module.text.count("\n")
    comments = sum(module.comment_lines() for module in found)
    yield f"class names: {len(classes_by_name(found))}, of several classes: {len(repeated)}"
    yield from (f"  {name}: {', '.join(at)}" for name, at in repeated.items())
    yield f"shadowed builtins: {shadowed_builtins(root)}"
    alone = sum(len(by) == 1 for by in users.values())
    yield f"modules: {len(found)}, imported by one other only: {alone}"
    mutual = mutual_folders(found, users)
    yield f"folders that import each other: {len(mutual)} pairs"
    yield from (f"  {pair}" for pair in mutual)
    yield (
        f"functions: {len(lengths)}, lines: median {median(lengths):.0f},"
        f" p90 {quantiles(lengths, n=10)[-1]:.0f}, longest {max(lengths)}"
    )
    yield f"comment lines: {comments} of {lines.total()} ({100 * comments / lines.total():.1f} %)"
    yield from (f"  {package}: {count:,} lines" for package, count in sorted(lines.items()))


if __name__ == "__main__":
    print(*report(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT), sep="\n")
