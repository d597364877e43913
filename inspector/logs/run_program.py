"""``python -m inspector.logs.run_program NAME MODULE ARGUMENTS``: a program of a library, whose log
is one JSON object a line from its first word on.
"""

import runpy
import sys
from collections.abc import Callable, Sequence

from inspector.logs.line_stream import LineStream, write_lines_only


def nothing() -> None:
    pass


def run_program(
    program: str, module: str, arguments: Sequence[str], prepare: Callable[[], None] = nothing
) -> None:
    """Run the module as if it had been started, after what prepares this process for it."""
    sys.argv = [module, *arguments]
    write_lines_only(program)
    # A program has no answer: what a library prints is meant for the log.
    sys.stdout = LineStream(sys.stdout, program)
    prepare()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _, name, library, *given = sys.argv
    run_program(name, library, given)
