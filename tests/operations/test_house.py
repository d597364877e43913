"""Rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PRODUCT = [
    ROOT / each for each in ("inspector", "api", "clients", "slim", "templates", "static", ".ci")
]
CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache"}
TEXT = {".py", ".html", ".css", ".js", ".toml", ".yml", ""}
PLACES = re.compile(r"/(?:home|root|work|Users)/|https?://(?:pypi|files\.pythonhosted|registry)\.")


def sources() -> list[Path]:
    found = [path for folder in PRODUCT for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in found if not CACHES.intersection(path.parts)]
    return [path for path in kept if path.suffix in TEXT]


def test_reading_loads_no_framework() -> None:
    """Imports of the core cost every command, and tie it to what it must not know."""
    program = (
        "import sys, inspector.core.reading\n"
        "print(*sorted({'django', 'celery', 'rest_framework', 'kombu'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_a_file_is_inspected_before_any_framework_is_loaded(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text('{"response":{"body":"{}"}}')
    program = (
        "import sys\n"
        "from inspector import command_line\n"
        "try: command_line.run(['manage.py', 'inspect', sys.argv[1]])\n"
        "except SystemExit as end: code = end.code\n"
        "print(code, *sorted({'django', 'celery', 'kombu', 'json_repair'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(answer)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"


def test_nothing_names_a_place_of_one_machine() -> None:
    named = [path for path in sources() if PLACES.search(path.read_text())]
    assert named == []


# Where both names of the program are known, or only the one of a checkout exists.
NAME_THE_PROGRAM = {
    "inspector/bootstrap.py",
    "inspector/command_line.py",
    "inspector/documentation/library.py",
    "inspector/installation.py",
    "inspector/operations/data_dir.py",
}


def texts_of(path: Path) -> list[str]:
    """Return texts that somebody may be shown: of Python those strings that document nothing."""
    if path.suffix != ".py" or "manage.py" not in path.read_text():
        return [path.read_text()]
    tree = ast.parse(path.read_text())
    documenting = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [
        each.value
        for each in strings
        if isinstance(each.value, str) and id(each) not in documenting
    ]


def test_nothing_that_is_shown_names_the_program_of_a_checkout_to_who_installed_it() -> None:
    shown = [
        path
        for path in sources()
        if path.relative_to(ROOT).parts[0] in ("inspector", "api", "templates", "static")
        and path.suffix in (".py", ".html", ".js")
        and any("manage.py" in text for text in texts_of(path))
    ]
    assert {path.relative_to(ROOT).as_posix() for path in shown} == NAME_THE_PROGRAM


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_has_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    pins = re.findall(r"^[a-z0-9].*==.*$", text, re.MULTILINE)
    assert pins and all(pin.endswith("\\") for pin in pins)
