"""``send``: what leaves the machine, what is asked again, and what a person is told."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.archive.intake.envelope import parse_envelope
from inspector.operations.remote import client
from inspector.operations.remote.commands import SUMMARIES, is_remote, run_remote
from inspector.transfer.entries import FoundExchange
from inspector.transfer.files.envelope_lines import envelope_line
from tests.api.serving import Server
from tests.operations.remote.installations import TalkingInstallation, absent, talking
from tests.transfer.files.reading_files import MESSAGE, STREAM, WHOLE, file_of

ROOT = Path(__file__).parent.parent.parent.parent
KEY = "ri_secret-key"
OTHER = WHOLE.replace(b"c1", b"c2")
BATCH_LINE = (
    b'{"id":"b1","custom_id":"a","response":{"status_code":200,"body":'
    + WHOLE
    + b'},"error":null}\n'
)
WAITED = list[float]()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    WAITED.clear()
    monkeypatch.setattr(client, "pause", WAITED.append)
    monkeypatch.setattr(client.random, "random", lambda: 1.0)


@pytest.fixture
def installation(monkeypatch: pytest.MonkeyPatch) -> Iterator[TalkingInstallation]:
    with talking() as found:
        monkeypatch.setenv("INSPECTOR_URL", found.url)
        monkeypatch.setenv("INSPECTOR_KEY", KEY)
        yield found


def send(*arguments: object) -> int:
    return run_remote(["inspector", "send", *map(str, arguments)])


def written(folder: Path, content: bytes, name: str = "answers.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_every_entry_is_a_line_with_a_key_of_its_content(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, BATCH_LINE + BATCH_LINE.replace(b'"a"', b'"b"'))
    assert send(path, "--tag", "night", "--note", "of a batch") == 0
    first, second = installation.lines
    assert first["response"] == {
        "status": 200,
        "headers": [["content-type", "application/json"]],
        "body": WHOLE.decode(),
    }
    assert first["metadata"] == {
        "custom_id": "a",
        "batch_id": "b1",
        "file_kind": "openai-batch",
        "file_body": "embedded",
    }
    assert first["idempotency_key"] != second["idempotency_key"]
    assert installation.asked[-1].path == "/api/v1/captures/batch/?tag=night&note=of+a+batch"
    assert installation.asked[-1].headers["Authorization"] == f"Bearer {KEY}"
    told = capsys.readouterr()
    assert (
        told.out
        == f"{path}: openai-batch, 2 stored\n  not known of these: times, and the request\n"
    )
    assert told.err == ""


def test_what_is_sent_twice_is_stored_once(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, WHOLE + b"\n" + OTHER + b"\n")
    send(path)
    capsys.readouterr()
    assert send(path) == 0
    assert "answers, 2 stored before" in capsys.readouterr().out


def test_a_batch_is_as_large_as_the_server_takes(
    installation: TalkingInstallation, tmp_path: Path
) -> None:
    answers = [WHOLE.replace(b"c1", b"c%d" % number) for number in range(8)]
    assert send(written(tmp_path, b"\n".join(answers))) == 0
    sizes = [len(asked.body.splitlines()) for asked in installation.asked if asked.body]
    assert sizes == [3, 3, 2]


def test_an_entry_that_cannot_be_sent_is_told_by_its_number_and_the_others_are_stored(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = WHOLE.replace(b"Hello", b"Hello" * 300)
    path = written(tmp_path, WHOLE + b"\n7\n" + long + b"\n" + OTHER)
    assert send(path) == 1
    told = capsys.readouterr()
    assert "2 stored, 1 refused, 1 unreadable" in told.out
    assert f"{path}, entry 2: this is no JSON object\n" in told.err
    assert f"{path}, entry 3: it is over 1000 bytes, the most that the server takes\n" in told.err


def test_a_line_that_the_server_refuses_is_told_with_its_reason(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, WHOLE + b"\n" + OTHER)
    installation.plan(
        200,
        b'{"line":1,"status":202}\n{"line":2,"status":409,"error":{"code":"x","message":"another body"}}\n',
    )
    assert send(path) == 1
    told = capsys.readouterr()
    assert (told.err, "1 stored, 1 refused" in told.out) == (
        f"{path}, entry 2: another body\n",
        True,
    )


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_when_it_says(
    installation: TalkingInstallation, tmp_path: Path, status: int
) -> None:
    installation.plan(status, Retry_After="7")
    assert send(written(tmp_path, WHOLE)) == 0
    assert WAITED == [7.0]
    first, second = (asked.body for asked in installation.asked if asked.body)
    assert first == second


@pytest.mark.parametrize("status", [0, 500, 502])
def test_an_answer_that_is_lost_is_asked_for_again_with_the_same_keys(
    installation: TalkingInstallation, tmp_path: Path, status: int
) -> None:
    installation.plan(status)
    installation.plan(status)
    assert send(written(tmp_path, WHOLE)) == 0
    assert WAITED == [0.5, 1.0]
    assert len({asked.body for asked in installation.asked if asked.body}) == 1


def test_of_a_batch_that_was_stored_in_part_the_rest_is_sent_again(
    installation: TalkingInstallation, tmp_path: Path
) -> None:
    installation.plan(
        200,
        b'{"line":1,"status":202}\n{"line":2,"status":503,"error":{"code":"x","message":"full"}}\n',
    )
    assert send(written(tmp_path, WHOLE + b"\n" + OTHER)) == 0
    assert [line["response"]["body"] for line in installation.lines] == [OTHER.decode()]


def test_a_server_that_stays_away_ends_it_with_one_line_that_has_no_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INSPECTOR_KEY", KEY)
    with absent() as url:
        assert send(written(tmp_path, WHOLE), "--url", url, "--patience", 3) == 2
    assert sum(WAITED) <= 3
    told = capsys.readouterr().err
    assert "send: no answer from the server (Connection refused)\n" in told
    assert KEY not in told


def test_a_refused_key_is_not_tried_again(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.plan(403, b'{"error":{"code":"forbidden","message":"this key may not send"}}')
    assert send(written(tmp_path, WHOLE)) == 2
    told = capsys.readouterr().err
    assert "this key may not send" in told
    assert WAITED == []


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        ("", "k", "set INSPECTOR_URL"),
        ("localhost:8000", "k", "begins with http:// or https://"),
        ("ftp://x", "k", "begins with http:// or https://"),
        ("http://[", "k", "begins with http:// or https://"),
        ("http://127.0.0.1", " ", "set INSPECTOR_KEY"),
        ("http://127.0.0.1", "a\nb", "characters that no key has"),
    ],
)
def test_without_address_or_key_one_line_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    url: str,
    key: str,
    words: str,
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", url)
    monkeypatch.setenv("INSPECTOR_KEY", key)
    assert send("answer.json") == 2
    [line] = capsys.readouterr().err.splitlines()
    assert words in line


def test_a_key_may_stand_in_a_file(
    installation: TalkingInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSPECTOR_KEY")
    key = written(tmp_path, b"ri_in-a-file\n", "key")
    assert send(written(tmp_path, WHOLE), "--key-file", key) == 0
    assert installation.asked[-1].headers["Authorization"] == "Bearer ri_in-a-file"
    assert send(written(tmp_path, WHOLE), "--key-file", tmp_path / "no") == 2


def test_a_path_that_is_not_there_costs_no_other(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert send(tmp_path / "no.json", written(tmp_path, WHOLE)) == 2
    assert len(installation.lines) == 1
    assert "no.json: No such file or directory\n" in capsys.readouterr().err


def test_credentials_do_not_leave_the_machine(
    installation: TalkingInstallation, tmp_path: Path
) -> None:
    entry = {
        "request": {
            "method": "POST",
            "url": "https://api.example/v1/chat/completions?api_key=hunter2",
            "headers": [
                {"name": "Authorization", "value": "Bearer hunter2"},
                {"name": "Cookie", "value": "s=hunter2"},
            ],
        },
        "response": {
            "status": 200,
            "headers": [{"name": "Set-Cookie", "value": "s=hunter2"}],
            "content": {"mimeType": "application/json", "text": WHOLE.decode()},
        },
    }
    har = json.dumps({"log": {"entries": [entry]}}).encode()
    assert send(written(tmp_path, har, "calls.har")) == 0
    assert installation.lines[0]["request"]["method"] == "POST"
    assert b"hunter2" not in installation.asked[-1].body


def test_json_has_the_counts_of_each_file(
    installation: TalkingInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    send(written(tmp_path, WHOLE + b"\n7\n" + OTHER), "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["stored"], told["unreadable"], told["passed_over"]) == (
        "answers",
        2,
        1,
        0,
    )


def test_a_dry_run_needs_no_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INSPECTOR_URL", raising=False)
    assert send(written(tmp_path, WHOLE + b"\n" + OTHER), "--dry-run") == 0
    assert "answers, 2 readable" in capsys.readouterr().out


# -- what an archive makes of it -------------------------------------------------------------------


@pytest.mark.parametrize("content", [WHOLE, STREAM, b"", b"\xff\x00", MESSAGE])
def test_a_line_is_read_by_an_archive_as_the_exchange_that_it_was(content: bytes) -> None:
    file = file_of(content, "answer.sse")
    [entry] = file.entries()
    assert isinstance(entry.content, FoundExchange)
    arrival = parse_envelope(envelope_line(entry.content, file.kind))
    assert arrival.exchange.reads == entry.content.exchange.reads
    assert arrival.exchange.content_type == "text/event-stream"
    assert arrival.metadata == {}


def test_an_envelope_keeps_its_own_key_and_fits_a_line() -> None:
    printed = b'{\n "response": {"body": "{}"},\n "idempotency_key": "mine"\n}'
    file = file_of(printed)
    [entry] = file.entries()
    line = envelope_line(entry.content, file.kind)  # type: ignore[arg-type]
    assert line.count(b"\n") == 1
    assert parse_envelope(line).idempotency_key == "mine"
    assert parse_envelope(line).exchange.body == b"{}"


def test_times_of_reads_and_times_of_none_are_kept() -> None:
    for text, times in (
        (b'{"at_us":0,"data":"a"}\n{"at_us":7,"data":"b"}\n', [0, 7]),
        (b'{"at_us":null,"data":"a"}\n{"at_us":7,"data":"b"}\n', [None]),
    ):
        file = file_of(text, "a.reads.jsonl")
        [entry] = file.entries()
        arrival = parse_envelope(envelope_line(entry.content, file.kind))  # type: ignore[arg-type]
        assert [read.at_us for read in arrival.exchange.reads] == times


def test_files_are_stored_by_a_real_server_once(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("INSPECTOR_URL", server.url)
    monkeypatch.setenv("INSPECTOR_KEY", server.key)
    before = server.count()
    written(tmp_path, BATCH_LINE)
    written(tmp_path, STREAM, "answer.sse")
    assert send(tmp_path) == 0
    assert send(tmp_path) == 0
    assert server.count() == before + 2
    assert capsys.readouterr().out.count("1 stored before") == 2


# -- the program -----------------------------------------------------------------------------------


def test_the_commands_start_without_a_framework(tmp_path: Path) -> None:
    path = written(tmp_path, BATCH_LINE)
    program = """
import sys
from inspector import command_line
try:
    command_line.main()
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(sorted({name.partition(".")[0] for name in sys.modules} & {"django", "celery", "rest_framework", "rich", "aiohttp"}))
"""
    command = [sys.executable, "-c", program, "send", "--dry-run", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_has_examples_in_its_help(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_remote(["inspector", name])
    assert is_remote(["inspector", "help", name])
    for argv in (["inspector", name, "--help"], ["inspector", "help", name]):
        with pytest.raises(SystemExit) as ended:
            run_remote(argv)
        assert ended.value.code == 0
        told = capsys.readouterr().out
        assert told.startswith("usage: ")
        assert f" {name} " in told.partition("examples:")[2]


@pytest.mark.parametrize(
    "argv", [["inspector"], ["inspector", "help"], ["inspector", "up"], ["inspector", "help", "up"]]
)
def test_other_commands_are_not_theirs(argv: list[str]) -> None:
    assert not is_remote(argv)
