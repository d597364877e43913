"""Environments of their own for programs that others made, each from a list of pinned versions."""

import subprocess
import venv
from pathlib import Path


def python_of(folder: Path, lock: Path) -> Path:
    """Return the Python of the environment in FOLDER, which is made where there is none yet."""
    python = folder.absolute() / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        # The lock names everything, though not by the extras that its own packages ask for.
        install = ("-m", "pip", "install", "-q", "--no-deps", "-r", str(lock))
        subprocess.run([python, *install], check=True)
    return python
