"""Many inputs in the terminal: a line each, then what they add up to."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.operations.reports.inspecting import FAILED, FIRST, WARNED, WHOLE, told

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_every_input_is_a_line_and_the_end_adds_them_up() -> None:
    Path("a.json").write_bytes(WHOLE)
    Path("b.json").write_bytes(WARNED)
    Path("c.sse").write_bytes(FIRST)
    Path("d.sse").write_bytes(FIRST)
    assert told(".") == (
        "✓ complete                   a.json\n"
        "✓ complete                   b.json  1 warning\n"
        "■ cut-off                    c.sse  1 error, 1 info\n"
        "■ cut-off                    d.sse  1 error, 1 info\n"
        "\n"
        "4 inputs\n"
        "verdicts\n"
        "  2  ✓ complete\n"
        "  2  ■ cut-off\n"
        "results\n"
        "  2  ✓ answered\n"
        "  2  ▲ truncated\n"
        "findings\n"
        "  2  ■ ending.cut-off in 2 inputs\n"
        "  1  ▲ usage.total-mismatch in 1 input\n"
        "  2  ● usage.missing in 2 inputs\n"
        "formats\n"
        "  4  openai-chat\n"
        "vendors\n"
        "  4  unknown\n"
    )


def test_what_makes_it_fail_stands_under_the_line_of_its_input() -> None:
    Path("a.json").write_bytes(WARNED)
    Path("b.json").write_bytes(FAILED)
    out = io.StringIO()
    with contextlib.suppress(SystemExit):
        call_command("inspect", ".", "--fail-on", "error", stdout=out)
    assert out.getvalue().startswith(
        "✓ complete                   a.json  1 warning\n"
        "■ unreadable                 b.json  1 error\n"
        "  ■ error  json.invalid\n"
        "    A trailing comma before a closing bracket (line 1,\n"
        "    column 234, byte 233). It is read as repaired.\n"
        "    bytes 233–234, line 1:234\n"
        "\n"
        "2 inputs\n"
    )


def test_a_long_path_keeps_its_end_in_a_terminal_and_all_of_it_in_a_pipe() -> None:
    folder = Path("a-folder-with-a-name-that-fills-the-line")
    folder.mkdir()
    for name in ("a.json", "b.json"):
        (folder / name).write_bytes(WARNED)
    piped = told(".").splitlines()[0]
    assert (
        piped
        == "✓ complete                   a-folder-with-a-name-that-fills-the-line/a.json  1 warning"
    )
    drawn = COLOUR.sub("", told(".", "--force-color").splitlines()[0])
    assert drawn == "✓ complete                   …lls-the-line/a.json  1 warning"


def test_ignored_findings_are_counted_and_not_named() -> None:
    Path("a.json").write_bytes(WARNED)
    Path("b.json").write_bytes(WARNED)
    out = told(".", "--ignore", "usage.total-mismatch")
    assert out.splitlines()[0] == "✓ complete                   a.json"
    assert "  2 findings ignored\n" in out
    assert "usage.total-mismatch" not in out


def test_a_result_that_makes_it_fail_stands_under_the_line_of_its_input() -> None:
    Path("a.json").write_bytes(WHOLE)
    Path("b.json").write_bytes(WHOLE.replace(b'"Hello"', b'""'))
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("inspect", ".", "--fail-on", "result=empty,refused", stdout=out)
    assert out.getvalue().startswith(
        "✓ complete                   a.json\n"
        "▲ complete, empty            b.json  1 warning\n"
        "  ▲ result  empty\n"
        "    The answer has no text, tool call or refusal.\n"
        "\n"
        "2 inputs\n"
    )
