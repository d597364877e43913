"""Annotations of a GitHub workflow."""

from pathlib import Path

from tests.operations.reports.inspecting import FAILED, FIRST, LAST, WARNED, told, write_reads


def test_every_finding_is_one_line_with_its_file_and_place() -> None:
    Path("below").mkdir()
    Path("below/a.sse").write_bytes(FIRST + b"Data: x\n\n" + LAST)
    Path("below/b.json").write_bytes(FAILED)
    assert told(Path.cwd(), "--format", "github") == (
        "::warning file=below/a.sse,line=3,col=1,title=framing.misspelt-field::"
        "The line beginning 'Data' is not an event field. (event #1, bytes 177–185)\n"
        "::notice file=below/a.sse,line=1,col=1,title=usage.missing::"
        "No usage was sent: tokens and cost are unknown. (/usage)\n"
        "::error file=below/b.json,line=1,col=234,title=json.invalid::"
        "A trailing comma before a closing bracket (line 1, column 234, byte 233)."
        " It is read as repaired. (bytes 233–234)\n"
    )


def test_names_and_messages_end_no_property_and_begin_no_line() -> None:
    Path("50%,a:b.json").write_bytes(
        b'{"error":{"message":"100% {x}\\r\\n::error::y, z\\u001b[2J"}}'
    )
    (line,) = told("50%,a:b.json", "--format", "github").splitlines()
    assert line == (
        "::error file=50%25%2Ca%3Ab.json,line=1,col=1,title=envelope.provider-error::"
        "The provider sent an error: 100%25 {x}␍␊::error::y, z␛[2J (/error)"
    )


def test_a_file_name_steers_no_terminal() -> None:
    Path("a\x1b[2J.json").write_bytes(FAILED)
    (line,) = told("a\x1b[2J.json", "--format", "github").splitlines()
    assert line.startswith("::error file=a␛[2J.json,line=1,")


def test_a_finding_in_reads_is_on_the_line_of_the_read_that_brought_it() -> None:
    wrong = b"Data: x\n\n"
    path = Path("a.reads.jsonl")
    write_reads(path, (1, FIRST), (2, wrong[:3]), (3, wrong[3:]), (4, LAST))
    assert told(path, "--format", "github").splitlines()[0] == (
        "::warning file=a.reads.jsonl,line=2,col=1,title=framing.misspelt-field::"
        "The line beginning 'Data' is not an event field. (event #1, bytes 177–185)"
    )


def test_ignored_findings_are_not_annotated() -> None:
    Path("a.json").write_bytes(WARNED)
    assert told("a.json", "--format", "github", "--ignore", "usage.total-mismatch") == ""
