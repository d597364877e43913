"""Commands that a person types to work on this archive, as pages and the first start print them."""

import shlex

from django.conf import settings

from inspector.installation import command_line, default_data_dir

UNNAMED = "DIRECTORY"


def archive_command(*words: str) -> str:
    """Return the command with its data directory, unless that is the default. Typed beside
    manage.py.
    """
    return _within(shlex.quote(str(settings.DATA_DIR)), words)


def unnamed_archive_command(*words: str) -> str:
    """Return the same for people who are not signed in: the place of the directory is not told
    them.
    """
    return _within(UNNAMED, words)


def has_own_data_dir() -> bool:
    """Return False where the archive is in a database that the environment names."""
    return bool(settings.IS_EMBEDDED) and default_data_dir() != settings.DATA_DIR


def _within(directory: str, words: tuple[str, ...]) -> str:
    elsewhere = ("--data-dir", directory) if has_own_data_dir() else ()
    return command_line(" ".join((*words, *elsewhere)))
