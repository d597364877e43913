"""Sources of the wheel that only inspects, as its project says them."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.version import VERSION

ROOT = Path(__file__).parent.parent.parent
SLIM = ROOT / "slim"
CONFIGURATION: dict[str, Any] = tomllib.loads((SLIM / "pyproject.toml").read_text())
PROJECT = CONFIGURATION["project"]
INCLUDED = CONFIGURATION["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]


def sources() -> Iterator[Path]:
    for name in INCLUDED:
        path = (SLIM / name).resolve()
        yield from path.rglob("*.py") if path.is_dir() else (path,)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path) -> Iterator[str]:
    """Modules of the product, or names in its packages, that may be modules."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inspector"):
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_what_its_modules_import_of_the_product_is_in_it() -> None:
    shipped = {module_of(path) for path in sources()}
    whole = {module_of(path) for path in (ROOT / "inspector").rglob("*.py")}
    asked = {name for path in sources() for name in imported(path)} & whole
    assert asked <= shipped


def test_every_folder_of_it_is_a_package() -> None:
    shipped, product = set(sources()), ROOT / "inspector"
    folders = {
        folder
        for path in shipped
        for folder in path.parents
        if product in (folder, *folder.parents)
    }
    assert {folder / "__init__.py" for folder in folders} <= shipped


def test_it_needs_what_the_product_needs_of_the_same_releases() -> None:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["all"]]
    assert set(asked) <= set(whole["dependencies"])
    assert (PROJECT["version"], PROJECT["requires-python"]) == (VERSION, whole["requires-python"])
