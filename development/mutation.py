"""Breaks random lines of the product and asks the tests that reach them whether they notice.

``python -m development.mutation [--seed 1] [--lines 40] [--all]`` asks the contexts that
``manage.py test --coverage --cov-context=test`` left behind. Each mutant is tried in a copy of the
tree.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from development.runs import ROOT, clean

LONGEST_SECONDS = 300
MAX_TESTS = 400
COPIED = ("inspector", "api", "templates", "static", "tests", "docs", "deploy", "development")
FILES = ("manage.py", "pyproject.toml", "README.md")


@dataclass(frozen=True, slots=True)
class Mutant:
    path: str
    line: int
    before: str
    after: str
    text: str
    """The whole file with the fault."""
    tests: tuple[str, ...]
    """Node ids of the tests that reach the line."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"


def negated(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), node)


COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


def broken(node: ast.AST) -> ast.AST | None:
    """Returns the node with one fault; None if there is nothing to break."""
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            node.test = negated(node.test)
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            node.ops = [COMPARISONS[type(operator)]()]
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            node.op = OPERATORS[type(operator)]()
        case ast.Compare() | ast.BoolOp():
            return negated(node)
        case ast.Constant(value=bool() | int() as value):
            node.value = (not value) if isinstance(value, bool) else value + 1
        case ast.Return(value=ast.expr()):
            node.value = ast.Constant(None)
        case _:
            return None
    return node


class Breaker(ast.NodeTransformer):
    """Breaks the first node that starts on ``line`` and can be broken."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.found: tuple[str, str] | None = None

    def visit(self, node: ast.AST) -> ast.AST:
        if getattr(node, "lineno", None) == self.line and self.found is None:
            before = first_line(node)
            changed = broken(node)
            if changed is not None:
                self.found = before, first_line(changed)
                return changed
        return self.generic_visit(node)


def first_line(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node)).partition("\n")[0]


def mutants(seed: int, count: int) -> Iterator[Mutant]:
    """Yields ``count`` mutants on random covered lines, the same ones for one seed."""
    reached = tests_by_line()
    places = sorted(reached)
    random.Random(seed).shuffle(places)
    made = 0
    for path, line in places:
        mutant = mutant_at(path, line, reached[path, line])
        if mutant:
            yield mutant
            made += 1
        if made == count:
            return


def mutant_at(path: str, line: int, tests: frozenset[str]) -> Mutant | None:
    breaker = Breaker(line)
    tree = breaker.visit(ast.parse((ROOT / path).read_text()))
    if breaker.found is None:
        return None
    text = ast.unparse(ast.fix_missing_locations(tree))
    return Mutant(path, line, *breaker.found, text, tuple(sorted(tests)))


def tests_by_line() -> dict[tuple[str, int], frozenset[str]]:
    """Tests by the product lines they reach, from coverage's contexts."""
    data = CoverageData(str(ROOT / ".coverage"))
    data.read()
    found: dict[tuple[str, int], frozenset[str]] = {}
    for file in data.measured_files():
        path = Path(file).relative_to(ROOT).as_posix()
        if path.startswith("inspector/"):
            for line, contexts in data.contexts_by_lineno(file).items():
                tests = frozenset(c.partition("|")[0] for c in contexts if c.startswith("tests/"))
                if tests:
                    found[path, line] = tests
    return found


def is_caught(mutant: Mutant, copy: Path, options: Sequence[str]) -> bool:
    """True if a test fails or the time limit is exceeded."""
    original = (copy / mutant.path).read_text()
    (copy / mutant.path).write_text(mutant.text)
    chosen = list(mutant.tests)
    random.Random(mutant.line).shuffle(chosen)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n", "0"]
    try:
        done = subprocess.run(
            [*command, *options, *chosen[:MAX_TESTS]],
            cwd=copy,
            env=clean({}),
            capture_output=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        (copy / mutant.path).write_text(original)


def copied(folder: Path) -> Path:
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*FILES, *(path.name for path in ROOT.glob("*.lock"))):
        shutil.copy(ROOT / name, folder)
    return folder


def score(found: Sequence[Mutant], is_noticed: Callable[[Mutant], bool]) -> int:
    """Prints a line per mutant; returns how many were caught."""
    caught = 0
    for number, mutant in enumerate(found, 1):
        is_mutant_caught = is_noticed(mutant)
        caught += is_mutant_caught
        word = "caught" if is_mutant_caught else "SURVIVED"
        print(f"{number:>3} {word:<8} {len(mutant.tests):>5} tests  {mutant}", flush=True)
    return caught


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--all", action="store_true", help="let thorough tests notice, too")
    chosen = parser.parse_args(words)
    options = ["--all"] if chosen.all else []
    found = list(mutants(chosen.seed, chosen.lines))
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        caught = score(found, lambda mutant: is_caught(mutant, copy, options))
    print(f"{caught} of {len(found)} caught (seed {chosen.seed})")


if __name__ == "__main__":
    main(sys.argv[1:])
