"""How large the project is: ``python -m development.size``.

Files and lines by folder; then functions, models, modules that the web loads, addresses, scopes of
keys and names of settings. Migrations are left out of lines and functions.
"""

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    ("product", ("inspector", "api", "clients/python"), ".py"),
    (
        "clients of Node and browsers",
        ("clients/browser", "clients/devtools", "clients/node"),
        ".js",
    ),
    ("templates", ("templates",), ".html"),
    ("scripts", ("static",), ".js"),
    ("styles", ("static",), ".css"),
    ("tests", ("tests",), ".py"),
    ("tests of scripts", ("tests",), ".js"),
    ("bench", ("bench",), ".py"),
    ("development", ("development", "deploy", ".ci"), ".py"),
    ("docs", ("docs",), ".md"),
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def files_in(folders: tuple[str, ...], ending: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob(f"*{ending}")):
            if not {"migrations", "node_modules", "shipped"} & set(path.parts):
                yield path


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions_in(path: Path) -> int:
    return sum(isinstance(node, Function) for node in ast.walk(ast.parse(path.read_text())))


def of_the_program() -> Iterator[tuple[str, int]]:
    """Needs no archive: nothing is asked of a database."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    sys.path.insert(0, str(ROOT))
    import django
    from django.apps import apps
    from django.conf import settings
    from django.urls import get_resolver

    django.setup()
    addresses = sum(1 for _ in _patterns(get_resolver().url_patterns))
    yield "models", sum(m.__module__.startswith("inspector.") for m in apps.get_models())
    yield (
        "modules that web loads",
        sum(name.partition(".")[0] in ("inspector", "api") for name in sys.modules),
    )
    yield "addresses", addresses
    from inspector.teams.access import KEY_SCOPES

    yield "scopes", len(KEY_SCOPES)
    project = sys.modules["inspector.settings"]
    yield "settings", sum(name.isupper() and hasattr(settings, name) for name in vars(project))


def _patterns(patterns: Iterable[Any]) -> Iterator[Any]:
    for each in patterns:
        inner = getattr(each, "url_patterns", None)
        if inner is None:
            yield each
        else:
            yield from _patterns(inner)


def main() -> None:
    for name, folders, ending in FOLDERS:
        files = [*files_in(folders, ending)]
        print(f"{name:24}{len(files):7,} files{sum(map(lines_of, files)):9,} lines")
    product = files_in(("inspector", "api", "clients/python"), ".py")
    print(f"{'functions':24}{sum(map(functions_in, product)):7,}")
    for name, number in of_the_program():
        print(f"{name:24}{number:7,}")


if __name__ == "__main__":
    main()
