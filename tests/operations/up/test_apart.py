"""Work in a process of its own: what comes of it comes here, what it imported does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.operations.operator_error import OperatorError
from inspector.operations.up.apart import apart

ROOT = Path(__file__).parents[3]


def refuses() -> None:
    raise OperatorError("Port 8000 is taken.")


def test_what_work_returns_comes_of_another_process() -> None:
    assert apart(lambda: ("key", os.getppid())) == ("key", os.getpid())


def test_its_refusal_is_raised_here() -> None:
    with pytest.raises(OperatorError, match=r"^Port 8000 is taken\.$"):
        apart(refuses)


@pytest.mark.parametrize(
    ("work", "told"),
    [
        ("lambda: 1 / 0", "ZeroDivisionError: division by zero\n"),
        ("lambda: os.kill(os.getpid(), 9)", ""),
        ("lambda: os.kill(os.getpid(), 2)", ""),
    ],
)
def test_work_that_has_no_result_ends_this_process_too(work: str, told: str) -> None:
    program = (
        "import os\nfrom inspector.operations.up.apart import apart\n"
        f"apart({work})\nprint('goes on')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(told) and bool(done.stderr) == bool(told)


def test_work_never_goes_on_as_this_process_though_nobody_reads_what_it_prints() -> None:
    program = (
        "import os, sys\nfrom inspector.operations.up.apart import apart\n"
        "reading, writing = os.pipe()\nos.close(reading)\nos.dup2(writing, 1)\n"
        "try:\n    apart(lambda: sys.stdout.write('told'))\nfinally:\n"
        "    print(os.getpid(), file=sys.stderr)"
    )
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environ, stderr=subprocess.PIPE, check=False
    )
    assert len(done.stderr.split()) == 1
