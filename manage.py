#!/usr/bin/env python3
"""Every command of Response Inspector; `python3 manage.py up` starts it."""

import os
import sys

if __name__ == "__main__":
    from inspector import bootstrap

    sys.argv = bootstrap.take_data_dir(sys.argv)
    bootstrap.ensure_environment(sys.argv)

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    if bootstrap.is_development(sys.argv):
        from development.commands import run

        sys.exit(run(sys.argv[1], sys.argv[2:]))

    bootstrap.keep_private(sys.argv)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
