"""``inspect`` alone: the product's own modules lie in this folder, under their own names.

They are found here before any other: the whole product may be installed beside this, in another
release.
"""

import os
import sys

PROGRAM = "inspect-responses"


def main() -> None:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from inspector.operations.reports.inspect_command import main as inspect

    sys.exit(inspect(PROGRAM, sys.argv[1:]))
