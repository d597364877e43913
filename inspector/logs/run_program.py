"""``python -m inspector.logs.run_program NAME MODULE ARGUMENTS``: a program of a library, whose log
is one JSON object a line from its first word on.
"""

import runpy
import sys

from inspector.logs.line_stream import LineStream, write_lines_only

if __name__ == "__main__":
    _, program, module, *arguments = sys.argv
    sys.argv = [module, *arguments]
    write_lines_only(program)
    # A program has no answer: what a library prints is meant for the log.
    sys.stdout = LineStream(sys.stdout, program)
    runpy.run_module(module, run_name="__main__", alter_sys=True)
