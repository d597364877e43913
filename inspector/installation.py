"""Where this program's own files are: in a checkout, or in an installed wheel.

The wheel has them inside the package, because site-packages is shared by all that is installed
there. The folder alone tells the two apart: no setting can say it wrongly.
"""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SHIPPED = PACKAGE / "shipped"
"""Made by the wheel alone: ``templates/`` and ``static/`` stand beside the packages in a checkout,
and site-packages has no place beside packages.
"""
IS_INSTALLED = SHIPPED.is_dir()
ROOT = PACKAGE.parent
RESOURCES = SHIPPED if IS_INSTALLED else ROOT
PROGRAM = "inspector" if IS_INSTALLED else "manage.py"
"""How sentences call it."""
COMMAND_LINE = PROGRAM if IS_INSTALLED else f"python3 {PROGRAM}"
"""Words that a person types before the name of a command."""


def command_line(words: str) -> str:
    """Return the line that a person types to run a command: ``words`` are its name and its
    arguments.
    """
    return f"{COMMAND_LINE} {words}"


def default_data_dir() -> Path:
    """Outside the program where an upgrade replaces the program (XDG Base Directory)."""
    if not IS_INSTALLED:
        return ROOT / "var"
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "response-inspector"
