"""The product's modules (``inspector``, ``api``; no migrations) and how they hang together:
``python -m development.structure [FOLDER]`` names the folders that import each other and the
modules that one other alone imports.
"""

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from development.runs import ROOT

PRODUCT = ("inspector", "api")
FRAMEWORK_NAMES = frozenset({"Meta", "Command", "Migration"})
"""Class names that Django prescribes."""


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

    def public_classes(self) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name

    def imports(self) -> Iterator[str]:
        """Yield the dotted names of imported modules and members."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


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


def report(root: Path) -> Iterator[str]:
    found = modules(root)
    users = importers(found)
    yield from mutual_folders(found, users)
    alone = {name: by for name, by in users.items() if len(by) == 1}
    yield from (f"{name} < {by.pop()}" for name, by in alone.items())


if __name__ == "__main__":
    print(*report(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT), sep="\n")
