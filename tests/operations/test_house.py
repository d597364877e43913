"""Rules of the house that no linter knows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PRODUCT = [ROOT / each for each in ("inspector", "api", "clients", "templates", "static", ".ci")]
CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache"}
TEXT = {".py", ".html", ".css", ".js", ".toml", ".yml", ""}
PLACES = re.compile(r"/(?:home|root|work|Users)/|https?://(?:pypi|files\.pythonhosted|registry)\.")


def sources() -> list[Path]:
    found = [path for folder in PRODUCT for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in found if not CACHES.intersection(path.parts)]
    return [path for path in kept if path.suffix in TEXT]


def test_reading_loads_no_framework() -> None:
    """What the core imports costs every command, and ties it to what it must not know."""
    program = (
        "import sys, inspector.core.reading\n"
        "print(*sorted({'django', 'celery', 'rest_framework', 'kombu'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_nothing_names_a_place_of_one_machine() -> None:
    named = [path for path in sources() if PLACES.search(path.read_text())]
    assert named == []


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_has_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert "://" not in text
    pins = re.findall(r"^[a-z0-9].*==.*$", text, re.MULTILINE)
    assert pins and all(pin.endswith("\\") for pin in pins)
