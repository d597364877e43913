#!/usr/bin/env python3
"""Every command of Response Inspector; `python3 manage.py up` starts it."""

import sys

if __name__ == "__main__":
    from inspector import bootstrap

    sys.argv = bootstrap.take_data_dir(sys.argv)
    bootstrap.ensure_environment(sys.argv)

    if bootstrap.is_development(sys.argv):
        from development.commands import run

        sys.exit(run(sys.argv[1], sys.argv[2:]))

    from inspector import command_line

    command_line.run(sys.argv)
