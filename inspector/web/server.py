"""``python -m inspector.web.server ARGUMENTS``: granian, whose first process imports what those
that serve need.

Where these are forked, they share its memory, and one that replaces another serves at once.
"""

import sys
from importlib import import_module

from inspector.loading import loading
from inspector.logs.run_program import run_program


def load() -> None:
    """Import the application, not its entry point: no connection is opened, no thread begins."""
    with loading():
        import django
        from django.conf import settings

        django.setup()
        import_module(settings.ROOT_URLCONF)


if __name__ == "__main__":
    run_program("web", "granian", sys.argv[1:], load)
