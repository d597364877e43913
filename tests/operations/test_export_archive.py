"""The commands that carry an archive elsewhere, and take one in."""

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inspector.archive.models import Capture
from tests.archive.samples import CUT, STREAM, accept, inspect_all
from tests.people import Person
from tests.transfer.exports.carried import everything, exported


def said(*command: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(*command, stdout=out, stderr=err, verbosity=0)
    return out.getvalue(), err.getvalue()


def refused(*command: Any) -> tuple[int, str]:
    with pytest.raises(CommandError) as error:
        said(*command)
    return error.value.returncode, str(error.value)


def test_what_one_command_writes_the_other_stores_and_that_is_the_same(
    owner: Person, stranger: Person, tmp_path: Path
) -> None:
    everything(owner)
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    _, told = said("export_archive", first, "--team", "default")
    assert told == f"6 captures, {first.stat().st_size} bytes\n"
    assert first.read_bytes() == exported(owner.team)
    assert first.stat().st_mode & 0o777 == 0o600
    out, _ = said("import_archive", first, "--team", "elsewhere", "--expect", "6")
    assert out == "6 imported, 0 there before, 0 deleted here before, 0 refused\n"
    out, _ = said("import_archive", first, "--team", "elsewhere")
    assert out == "0 imported, 6 there before, 0 deleted here before, 0 refused\n"
    said("export_archive", second, "--team", "elsewhere")
    assert second.read_bytes() == first.read_bytes()


def test_a_query_chooses_as_it_does_in_the_list(owner: Person, tmp_path: Path) -> None:
    accept(owner)
    cut = accept(owner, CUT)
    inspect_all()
    said("export_archive", tmp_path / "a", "--team", "default", "--query", "verdict:cut-off")
    [line] = (tmp_path / "a").read_bytes().splitlines()
    assert json.loads(line)["archived"]["id"] == str(cut)


def test_the_output_can_be_a_pipe_and_the_input_too(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(owner, STREAM)
    pipe = TextIOWrapper(BytesIO())
    monkeypatch.setattr("sys.stdout", pipe)
    said("export_archive", "-", "--team", "default")
    monkeypatch.undo()
    pipe.seek(0)
    monkeypatch.setattr("sys.stdin", pipe)
    out, _ = said("import_archive", "-", "--team", "elsewhere")
    assert out.startswith("1 imported")


def test_refused_line_is_named_and_ends_command_with_1(stranger: Person, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b'{"\x1b[31m":1}\nx')
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as error:
        call_command("import_archive", file, "--team", "elsewhere", stdout=out, stderr=err)
    assert error.value.returncode == 1
    assert out.getvalue() == "0 imported, 0 there before, 0 deleted here before, 2 refused\n"
    first, second = err.getvalue().splitlines()
    assert first.startswith("line 1: ") and "\x1b" not in first
    assert second == "line 2: the line has no newline at its end: it may be cut"


def test_a_file_of_other_length_than_expected_is_not_begun(
    owner: Person, stranger: Person, tmp_path: Path
) -> None:
    everything(owner)
    file = tmp_path / "a"
    file.write_bytes(b"".join(exported(owner.team).splitlines(True)[:4]))
    status, told = refused("import_archive", file, "--team", "elsewhere", "--expect", "6")
    assert (status, told) == (2, f"{file}: 4 lines where 6 were to be.")
    assert not Capture.objects.filter(team=stranger.team).exists()
    assert refused("import_archive", "-", "--team", "elsewhere", "--expect", "6")[0] == 2


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("export_archive", "{}/a", "--team", "nobody"), "There is no team nobody."),
        (("export_archive", "{}/no/a", "--team", "default"), "is no directory"),
        (("export_archive", "{}/here", "--team", "default"), "is there already"),
        (("export_archive", "{}/a", "--team", "default", "--query", "verdict:"), "the query:"),
        (("import_archive", "{}/here", "--team", "nobody"), "There is no team nobody."),
    ],
)
def test_wrong_arguments_end_with_2_and_leave_nothing(
    owner: Person, tmp_path: Path, command: tuple[str, ...], told: str
) -> None:
    (tmp_path / "here").write_bytes(b"")
    status, message = refused(*(each.format(tmp_path) for each in command))
    assert status == 2 and told in message and "\n" not in message
    assert [each.name for each in tmp_path.iterdir()] == ["here"]


def test_a_file_that_cannot_be_read_is_one_line(owner: Person, tmp_path: Path) -> None:
    assert "No such file" in refused("import_archive", tmp_path / "no", "--team", "default")[1]
