"""Lists what the tests cover, to compare two commits.

``python -m development.inventory [COMMIT]`` prints the length of each list; with a commit also the
entries that only it or only this tree has. Everything is read from source.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from development.runs import ROOT

RULES = "tests/core/rules/rule_cases.py"
MATRIX = "tests/teams/test_matrix.py"
TABLES = ("inspector/teams/authorisation.py", "api/operations")
"""Where the rows of the authorisation table are declared."""
ROUTE = re.compile(r"(?:api|dashboard):[a-z-]+")
HOSTILE = re.compile(r"[A-Z_]*(HOSTILE|WRONG|ODD|BAD|BROKEN|DAMAGE)[A-Z_]*")

Sources = Mapping[str, str]
Inventory = dict[str, set[str]]


def inventory(sources: Sources) -> Inventory:
    """Returns the lists by name."""
    trees = {path: ast.parse(text) for path, text in sources.items() if path.startswith("tests/")}
    declared = (text for path, text in sources.items() if path.startswith(TABLES))
    routes = {route for text in declared for route in ROUTE.findall(text)}
    askers = set(assigned(trees, MATRIX, "ASKERS"))
    return {
        # Without the path, so that a test that moves with its file stays the same.
        "tests": {
            f"{Path(path).stem}::{name}" for path, tree in trees.items() for name in tests_of(tree)
        },
        "rules with cases": set(assigned(trees, RULES, "CASES")),
        "routes x principals": {f"{route} as {asker}" for route, asker in product(routes, askers)},
        "hostile inputs": {text for tree in trees.values() for text in hostile(tree)},
        "fault rows": {row for tree in trees.values() for row in fault_rows(tree)},
        "literal inputs": {text for tree in trees.values() for text in literals(tree)},
    }


def tests_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name


def assigned(trees: Mapping[str, ast.Module], path: str, name: str) -> Iterator[str]:
    """Strings of a tuple, or keys of a dict, assigned to a name in a module."""
    for node in trees[path].body if path in trees else ():
        target, value = assignment(node)
        if target == name and isinstance(value, ast.Dict):
            yield from (text for key in value.keys if key for text in literals(key, 0))
        elif target == name and value:
            yield from literals(value, 0)


def assignment(node: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    return "", None


def hostile(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        name, value = assignment(node)
        if value and HOSTILE.fullmatch(name):
            yield from literals(value, 1)


def fault_rows(tree: ast.AST) -> Iterator[str]:
    """First arguments of the decorators ``@row("W2", …)``."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "row":
                yield from literals(decorator.args[0], 0)


def literals(tree: ast.AST, shortest: int = 4) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(value) | bytes(value)) if len(value) >= shortest:
                yield str(value)


def sources_of_tree() -> Sources:
    paths = git("ls-files", "--cached", "--others", "--exclude-standard", "tests", *TABLES).split()
    found = [path for path in paths if path.endswith(".py") and (ROOT / path).exists()]
    return {path: (ROOT / path).read_text() for path in found}


def sources_of_commit(commit: str) -> Sources:
    paths = git("ls-tree", "-r", "--name-only", commit, "tests", *TABLES).split()
    return {path: git("show", f"{commit}:{path}") for path in paths if path.endswith(".py")}


def git(*words: str) -> str:
    command = ["git", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def report(before: Inventory | None, now: Inventory) -> Iterator[str]:
    for name, covered in now.items():
        earlier = before[name] if before else covered
        yield f"{name}: {len(earlier)} before, {len(covered)} now"
        yield from (f"  gone: {item[:150]!r}" for item in sorted(earlier - covered))


def main(commits: list[str]) -> None:
    before = inventory(sources_of_commit(commits[0])) if commits else None
    for line in report(before, inventory(sources_of_tree())):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
