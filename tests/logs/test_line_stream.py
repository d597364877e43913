"""Output of libraries: what they print, warn of or leave uncaught is a line of JSON, too."""

import io
import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from inspector.logs.line_format import line_of
from inspector.logs.line_stream import LineStream

PROGRAM = """
import logging, threading, warnings
print("a banner\\n\\nof two lines")
warnings.warn("odd", stacklevel=1)
logging.getLogger("library").error("refused by %s", "x")
failing = threading.Thread(target=lambda: 1 / 0)
failing.start(); failing.join()
print("begun", end="")
raise KeyError("canary")
"""


def written(*pieces: str) -> list[dict[str, Any]]:
    stream = io.StringIO()
    lines = LineStream(stream, "web")
    for piece in pieces:
        lines.write(piece)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("pieces", "events"),
    [
        (("one\n",), ["one"]),
        (("one", "\n"), ["one"]),
        (("\n\n  one\ntwo\nthr", "ee\n"), ["one", "two", "three"]),
        (("\x1b[31mred\x1b[0m\n",), ["\x1b[31mred\x1b[0m"]),
        ((line_of("proxy", "info", "listening") + "\n",), ["listening"]),
        (("not yet",), []),
    ],
)
def test_each_line_is_one_object(pieces: tuple[str, ...], events: list[str]) -> None:
    lines = written(*pieces)
    assert [line["event"] for line in lines] == events
    assert all({"at", "level", "program"} <= set(line) for line in lines)


def test_two_threads_do_not_mix_their_lines() -> None:
    stream = io.StringIO()
    lines = LineStream(stream, "web")
    lines.write("of one thr")
    other = threading.Thread(target=lambda: lines.write("of the other\n"))
    other.start()
    other.join()
    lines.write("ead\n")
    found = [json.loads(line)["event"] for line in stream.getvalue().splitlines()]
    assert found == ["of the other", "of one thread"]


def test_a_program_of_a_library_writes_nothing_else(tmp_path: Any) -> None:
    (tmp_path / "library.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "inspector.logs.run_program", "worker", "library"]
    done = subprocess.run(
        command,
        env={"PYTHONPATH": f".:{tmp_path}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert {line["program"] for line in lines} == {"worker"}
    assert [line["event"] for line in lines[:2]] == ["a banner", "of two lines"]
    assert [line["logger"] for line in lines[2:4]] == ["py.warnings", "library"]
    of_thread, of_program = (line["error"][0]["type"] for line in lines[4:])
    assert (of_thread, of_program) == ("builtins.ZeroDivisionError", "builtins.KeyError")
    assert "canary" not in done.stdout
