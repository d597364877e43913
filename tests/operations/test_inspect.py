"""``manage.py inspect``: what it reads, lines of JSON for programs, and what it exits with."""

import base64
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inspector.operations.reports.inspect_command import main
from inspector.version import VERSION
from tests.tiers import mostly_thorough

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = ROOT / "tests" / "operations" / "documents"
BOUND_SECONDS = 60.0

WHOLE = b'{"id":"c1","object":"chat.completion","created":1795183339,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}'
FIRST = b'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\n'
LAST = b'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def inspect(*arguments: object) -> str:
    """What the command writes to standard output."""
    out = io.StringIO()
    call_command("inspect", *map(str, arguments), stdout=out)
    return out.getvalue()


def lines(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in inspect(*arguments, "--json").splitlines()]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole.json"
    path.write_bytes(WHOLE)
    return path


# -- as a file for tests -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["har", "reads"])
def test_an_input_is_printed_as_a_file_for_tests(whole: Path, kind: str) -> None:
    printed = inspect(whole, "--fixture", kind)
    recorded = f"Recorded: whole, status unknown, {len(WHOLE)} bytes in 1 read, no times"
    assert recorded in printed
    assert "Credentials were not looked for in it." in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fixture", "xml"), "there are har, reads"),
        (("--fixture", "har", "--tape"), "takes neither --tape nor --part"),
        (("other.json", "--fixture", "har"), "made of one input"),
    ],
)
def test_a_fixture_that_cannot_be_printed_says_why(
    whole: Path, arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        inspect(whole, *arguments)


# -- text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "000-completion.json",
            [
                "complete, answered. The choice has a finish reason.",
                "workflowai, vendor workflowai, whole, model gpt-4o-2024-08-06",
                "The image shows a wooden boardwalk extending through a forest.",
                "cost_usd of choice 0  0.001234",
                "duration_seconds 2.34",
                "feedback_token fb_8YMnDbsifkBeAs814beb0dFOJdPeG_0",
                "1,163",
            ],
        ),
        (
            "001-completion.json",
            ["unreadable, answered. ", "json.invalid", "It is read as repaired.", "Hello there, how may I"],
        ),
        (
            "001-chunks.txt",
            ["elided, answered. 6 chunks, shortened with “…” in 1 place", "Hello! today?", "framing.no-data-prefix", "event #3"],
        ),
        (
            "002-completion.json",
            [
                "complete, but with an unusable call: the arguments of stock_of stop mid-JSON",
                "reasoning, 68 characters",
                "tool call stock_of, arguments truncated, 31 characters",
                '{"warehouse":"RTM","item":48213',
                "tool.arguments-truncated",
                "/choices/0/message/tool_calls/1/function/arguments",
            ],
        ),
        ("003-completion.json", ["Hello! How can I help you today?", "deepseek-ai/DeepSeek-V3.2"]),
        ("003-chunk.json", ["part, answered. The body is one chunk", "envelope.fragment", "Hello"]),
        ("004-completion.json", ["openai-text, ", "Leipzig.", "rejected_prediction"]),
    ],
)  # fmt: skip
def test_text_tells_what_a_document_is_about(
    name: str, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = inspect(DOCUMENTS / name)
    assert [text for text in told if text not in out] == []


# -- lines of JSON ----------------------------------------------------------------------------------


def test_one_line_for_each_input_holds_path_and_analysis(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "stream.sse").write_bytes(FIRST + LAST)
    told = lines(whole, tmp_path / "stream.sse")
    assert [sorted(one) for one in told] == [["analysis", "path"]] * 2
    assert [one["path"] for one in told] == [str(whole), str(tmp_path / "stream.sse")]
    assert [one["analysis"]["streamed"] for one in told] == [False, True]
    assert [one["analysis"]["choices"][0]["content"] for one in told] == ["Hello", "Hello"]


def test_a_line_stays_one_line_whatever_the_text(tmp_path: Path) -> None:
    body = WHOLE.replace(b"Hello", "a\\nb\u2028c\\u0000\\ud800".encode())
    (tmp_path / "a.json").write_bytes(body)
    out = inspect(tmp_path / "a.json", "--json")
    assert out.count("\n") == 1
    assert json.loads(out)["analysis"]["choices"][0]["content"] == "a\nb\u2028c\0\ufffd"


def test_the_tape_is_added_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(FIRST + LAST)
    (told,) = [json.loads(line) for line in inspect(tmp_path / "a.sse", "--tape").splitlines()]
    assert sorted(told) == ["analysis", "path", "tape"]
    tape = told["tape"]
    assert tape["events"]["kind"] == ["chunk", "chunk", "end-mark"]
    columns = {"event": [0], "lane": [0], "start_u16": [0], "length_u16": [5], "places": [0]}
    assert tape["pieces"] == columns
    assert tape["places"] == [["/choices/0/delta/content"]]
    assert "tape" not in lines(tmp_path / "a.sse")[0]


def test_the_format_json_is_the_same_lines_and_leaves_nothing_out(whole: Path) -> None:
    assert inspect(whole, "--format", "json") == inspect(whole, "--json")
    warned = whole.with_name("warned.json")
    warned.write_bytes(WARNED)
    (told,) = lines(warned, "--ignore", "usage.total-mismatch")
    assert [one["code"] for one in told["analysis"]["findings"]] == ["usage.total-mismatch"]


def test_a_chosen_dialect_holds(tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(FIRST + LAST.removesuffix(b"data: [DONE]\n\n"))
    (seen,) = lines(tmp_path / "a.sse")
    (chosen,) = lines(tmp_path / "a.sse", "--dialect", "workflowai")
    assert (seen["analysis"]["dialect"], seen["analysis"]["verdict"]) == (
        "openai-chat",
        "missing-terminator",
    )
    assert (chosen["analysis"]["dialect"], chosen["analysis"]["verdict"]) == (
        "workflowai",
        "complete",
    )


# -- what is read -----------------------------------------------------------------------------------


def test_a_folder_is_its_recordings_in_name_order(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    names = ["b.json", "a.sse", "below/c.ndjson", "d.txt", "e.reads.jsonl"]
    for name in names:
        (tmp_path / name).write_bytes(b"")
    for name in ("f.md", "g.jsonl", "h"):
        (tmp_path / name).write_bytes(WHOLE)
    told = [Path(one["path"]).relative_to(tmp_path).as_posix() for one in lines(tmp_path)]
    assert told == sorted(names)


def test_a_file_of_any_name_is_read_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "answer").write_bytes(WHOLE)
    assert lines(tmp_path / "answer")[0]["analysis"]["verdict"] == "complete"


def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WHOLE)))
    (told,) = lines("-")
    assert (told["path"], told["analysis"]["verdict"]) == ("-", "complete")


def test_the_end_of_the_name_is_the_content_type(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(FIRST + LAST)
    (told,) = lines(tmp_path / "a.json")
    codes = [finding["code"] for finding in told["analysis"]["findings"]]
    assert "framing.content-type" in codes


def test_reads_bring_their_times(tmp_path: Path) -> None:
    reads = [
        {"at_us": 200_000, "data": FIRST.decode()},
        {"at_us": 350_000, "data_b64": base64.b64encode(LAST).decode()},
    ]
    path = tmp_path / "a.reads.jsonl"
    path.write_text("".join(json.dumps(read) + "\n" for read in reads))
    (told,) = lines(path)
    timeline = told["analysis"]["timeline"]
    assert (timeline["clock"], timeline["first_content_us"]) == ("recorded", 200_000)
    assert timeline["gaps_us"] == {"p50": 150_000, "p95": 150_000, "max": 150_000}


def test_reads_on_standard_input_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = json.dumps({"at_us": 200_000, "data": (FIRST + LAST).decode()}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(reads)))
    (told,) = lines("-")
    assert told["analysis"]["timeline"]["first_content_us"] == 200_000


def test_an_envelope_brings_status_headers_and_times(tmp_path: Path) -> None:
    reads = [{"at_us": 5, "data": WHOLE.decode()}]
    headers = {"Content-Type": "text/event-stream"}
    response = {"status": 429, "headers": headers, "reads": reads}
    (tmp_path / "a.json").write_text(json.dumps({"response": response, "outcome": "ended"}))
    (told,) = lines(tmp_path / "a.json", "--dialect", "openai-chat")
    analysis = told["analysis"]
    assert (analysis["timeline"]["clock"], analysis["choices"][0]["content"]) == (
        "recorded",
        "Hello",
    )
    codes = [finding["code"] for finding in analysis["findings"]]
    assert "framing.content-type" in codes
    assert "status 429" in inspect(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"response": {"body": "a", "reads": []}}, "$.response has both a body and reads"),
        ({"response": {"body": "a"}, "stated_at": 1}, "Object contains unknown field `stated_at`"),
    ],
)
def test_a_broken_envelope_is_one_line_and_exit_2(
    tmp_path: Path, body: dict[str, Any], why: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(body))
    with pytest.raises(CommandError) as refused:
        inspect(tmp_path / "a.json", "--json")
    assert refused.value.returncode == 2
    assert str(refused.value) == f"{tmp_path}/a.json: {why}"


def test_an_answer_that_speaks_of_a_response_is_no_envelope(tmp_path: Path) -> None:
    body = WHOLE[:-1] + b',"response":{"text":"x"}}'
    (tmp_path / "a.json").write_bytes(body)
    assert lines(tmp_path / "a.json")[0]["analysis"]["choices"][0]["content"] == "Hello"


def har_of(*answers: bytes) -> bytes:
    entries = [
        {
            "request": {
                "method": "POST",
                "url": "https://api.example/v1/chat/completions",
                "headers": [{"name": "Authorization", "value": "Bearer hunter2"}],
            },
            "response": {
                "status": 200,
                "content": {"mimeType": "application/json", "text": answer.decode()},
            },
        }
        for answer in answers
    ]
    return json.dumps({"log": {"entries": entries}}).encode()


def test_every_call_of_a_har_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "calls.har").write_bytes(har_of(WHOLE, WHOLE.replace(b"Hello", b"Goodbye")))
    told = lines(tmp_path / "calls.har")
    assert [(one["entry"], one["analysis"]["verdict"]) for one in told] == [
        (1, "complete"),
        (2, "complete"),
    ]
    printed = inspect(tmp_path / "calls.har")
    assert "calls.har, entry 2" in printed
    assert "2 inputs" in printed


def test_entry_that_cannot_be_read_is_told_by_its_number_beside_the_others(tmp_path: Path) -> None:
    line = (
        b'{"id":"b1","custom_id":"a","response":{"status_code":200,"body":'
        + WHOLE
        + b'},"error":null}\n'
    )
    (tmp_path / "out.jsonl").write_bytes(line + b"{broken\n" + line)
    out = io.StringIO()
    with pytest.raises(CommandError, match="out.jsonl, entry 2: ") as failure:
        call_command("inspect", str(tmp_path / "out.jsonl"), "--json", stdout=out)
    assert failure.value.returncode == 2
    assert [json.loads(each)["entry"] for each in out.getvalue().splitlines()] == [1, 3]


TWO_ANSWERS = b"First:\n" + WHOLE + b"\nThen:\n" + WHOLE.replace(b"Hello", b"Goodbye") + b"\n"


@pytest.mark.parametrize(("part", "content"), [("1", "Hello"), ("2", "Goodbye")])
def test_a_part_of_a_text_with_several_responses_is_chosen_by_its_number(
    part: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / "page.txt").write_bytes(TWO_ANSWERS)
    (told,) = lines(tmp_path / "page.txt", "--part", part)
    assert told["analysis"]["choices"][0]["content"] == content


def test_an_entry_of_a_file_is_chosen_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "calls.har").write_bytes(har_of(WHOLE, WHOLE.replace(b"Hello", b"Goodbye")))
    (told,) = lines(tmp_path / "calls.har", "--part", "2")
    assert (told["entry"], told["analysis"]["choices"][0]["content"]) == (2, "Goodbye")


@pytest.mark.parametrize(
    ("part", "message"),
    [("3", "2 responses found, and none has number 3"), ("0", "they count from 1")],
)
def test_a_part_that_is_not_there_is_refused(part: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_bytes(TWO_ANSWERS)
    with pytest.raises(CommandError, match=message):
        inspect(tmp_path / "page.txt", "--part", part)


def test_a_call_of_a_batch_that_nothing_answered_is_told_and_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = b'{"id":"b1","custom_id":"a","response":{"status_code":200,"body":' + WHOLE + b"}}\n"
    late = (
        b'{"id":"b2","custom_id":"b","response":null,"error":{"code":"400","message":"too long"}}\n'
    )
    (tmp_path / "out.jsonl").write_bytes(line + late)
    assert [one["entry"] for one in lines(tmp_path / "out.jsonl")] == [1]
    assert "out.jsonl, entry 2: no response came: 400: too long\n" in capsys.readouterr().err


def test_a_body_that_is_not_what_its_har_says_is_read_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = har_of(WHOLE).replace(b'"mimeType"', b'"encoding": "base64", "mimeType"')
    (tmp_path / "calls.har").write_bytes(said)
    assert [one["analysis"]["verdict"] for one in lines(tmp_path / "calls.har")] == ["complete"]
    assert "calls.har, entry 1: the body is said to be base64 and is" in capsys.readouterr().err


def test_a_fixture_of_a_recording_has_no_credentials_of_it(tmp_path: Path) -> None:
    (tmp_path / "one.har").write_bytes(har_of(WHOLE))
    assert "hunter2" not in inspect(tmp_path / "one.har", "--fixture", "har")


def test_a_fixture_is_not_made_of_a_file_with_several_responses(tmp_path: Path) -> None:
    (tmp_path / "two.har").write_bytes(har_of(WHOLE, WHOLE))
    with pytest.raises(CommandError, match="it holds more than one response"):
        inspect(tmp_path / "two.har", "--fixture", "har")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "7",
        "{",
        '{"at_us":1}',
        '{"data":"a"}',
        '{"at_us":"1","data":"a"}',
        '{"at_us":1.5,"data":"a"}',
        '{"at_us":1,"data":"a","data_b64":"YQ=="}',
        '{"at_us":1,"data_b64":"a"}',
        '{"at_us":1,"data_b64":"é"}',
        '{"at_us":1,"data":"a","more":1}',
        '{"at_us":1,"data":"\\ud800"}',
    ],
)
def test_a_malformed_line_of_reads_is_one_line_and_exit_2(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.reads.jsonl"
    path.write_text('{"at_us":1,"data":"a"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(CommandError) as refused:
        inspect(path, "--json")
    assert refused.value.returncode == 2
    assert str(refused.value).startswith(f"{path}, line 2: ")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_one_line_and_exit_2(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as refused:
        inspect(tmp_path / "missing.json", "--json")
    assert refused.value.returncode == 2
    assert str(refused.value) == f"{tmp_path}/missing.json: No such file or directory"


def test_what_cannot_be_read_stops_nothing_else(whole: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    paths = [tmp_path / "a.json", whole, tmp_path / "b.json"]
    with pytest.raises(CommandError) as refused:
        call_command("inspect", *map(str, paths), "--json", stdout=out)
    assert refused.value.returncode == 2
    assert str(refused.value).splitlines() == [
        f"{tmp_path}/a.json: No such file or directory",
        f"{tmp_path}/b.json: No such file or directory",
    ]
    assert [json.loads(line)["path"] for line in out.getvalue().splitlines()] == [str(whole)]


def test_a_folder_without_recordings_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_bytes(WHOLE)
    with pytest.raises(CommandError) as refused:
        inspect(tmp_path)
    assert refused.value.returncode == 2
    assert str(refused.value) == f"{tmp_path}: no recordings in this folder"


# -- what it exits with -----------------------------------------------------------------------------

WARNED = WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6')
FAILED = WHOLE[:-1] + b",}"
EMPTY = WHOLE.replace(b'"Hello"', b'""')


@pytest.mark.parametrize(
    ("body", "fail_on", "fails"),
    [
        (WHOLE, "warning", False),
        (WHOLE, "error", False),
        (WARNED, "warning", True),
        (WARNED, "error", False),
        (FAILED, "warning", True),
        (FAILED, "error", True),
        (FAILED, None, False),
        (EMPTY, "warning", True),
        (EMPTY, "error", False),
        (EMPTY, "result=empty", True),
        (EMPTY, "result=refused,empty", True),
        (EMPTY, "result=refused", False),
        (WARNED, "result=answered", True),
    ],
)
def test_findings_fail_the_command_where_that_is_asked_for(
    tmp_path: Path, body: bytes, fail_on: str | None, fails: bool
) -> None:
    (tmp_path / "a.json").write_bytes(body)
    (tmp_path / "z.json").write_bytes(WHOLE)
    arguments = [tmp_path, "--json", *(["--fail-on", fail_on] if fail_on else [])]
    if not fails:
        assert inspect(*arguments).count("\n") == 2
        return
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("inspect", *map(str, arguments), stdout=out)
    assert ended.value.code == 1
    assert out.getvalue().count("\n") == 2, "every input is told before it fails"


@pytest.mark.parametrize(("body", "fails"), [(WHOLE, False), (WARNED, True), (EMPTY, True)])
def test_a_severity_and_results_may_be_given_together(
    tmp_path: Path, body: bytes, fails: bool
) -> None:
    (tmp_path / "a.json").write_bytes(body)
    together = [tmp_path, "--fail-on", "warning", "--fail-on", "result=empty,refused"]
    if not fails:
        inspect(*together)
        return
    with pytest.raises(SystemExit) as ended:
        inspect(*together)
    assert ended.value.code == 1


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("result=emtpy", "no result has the name 'emtpy'; there are error, pending, refused"),
        ("result=empty,", "no result has the name ''"),
        ("result=", "no result has the name ''"),
        ("info", "'info' is neither error, warning nor result=NAME"),
        ("results=empty", "'results=empty' is neither error, warning nor result=NAME"),
    ],
)
def test_a_condition_that_does_not_exist_is_refused_by_name(condition: str, message: str) -> None:
    with pytest.raises(CommandError, match=re.escape(message)):
        call_command("inspect", "-", "--fail-on", condition)


def test_a_result_that_fails_is_annotated(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(EMPTY)
    out = io.StringIO()
    with pytest.raises(SystemExit):
        arguments = [str(tmp_path), "--format", "github", "--fail-on", "result=empty"]
        call_command("inspect", *arguments, stdout=out)
    first = out.getvalue().splitlines()[0]
    assert first.startswith("::error file=") and "title=result empty" in first
    assert first.endswith("::The answer has no text, tool call or refusal.")


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_an_ignored_finding_fails_nothing(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.json").write_bytes(WARNED)
    arguments = [tmp_path, "--format", form, "--fail-on", "warning"]
    with pytest.raises(SystemExit):
        inspect(*arguments)
    inspect(*arguments, "--ignore", "usage.missing", "--ignore", "usage.total-mismatch")


def run(
    *arguments: object, data_dir: Path, text: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """The command as a process, with a data directory that is not there."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "inspect", *map(str, arguments)],
        input=text,
        env={**os.environ, "INSPECTOR_DATA_DIR": str(data_dir), "INSPECTOR_BOOTSTRAP": "0"},
        capture_output=True,
        timeout=BOUND_SECONDS,
        check=False,
    )  # fmt: skip


@pytest.mark.thorough
def test_it_runs_without_a_database_and_leaves_nothing_behind(tmp_path: Path) -> None:
    nowhere = tmp_path / "not" / "there"
    done = run("-", "--json", "--fail-on", "warning", data_dir=nowhere, text=WHOLE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["analysis"]["choices"][0]["content"] == "Hello"
    assert not nowhere.exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    mostly_thorough(
        [
            (["--fail-on", "error", "-"], 1),
            (["missing.json"], 2),
            (["--dialect", "klingon", "-"], 2),
            (["--fail-on", "info", "-"], 2),
            (["--fail-on", "result=emtpy", "-"], 2),
            (["--ignore", "json.invlaid", "-"], 2),
            (["--format", "xml", "-"], 2),
            (["--format", "sarif", "--json", "-"], 2),
            (["--format", "sarif", "--tape", "-"], 2),
            (["missing.json", "-", "--fail-on", "error"], 2),
            ([], 2),
        ],
        by_default=1,
    ),
)
def test_the_process_exits_with_its_code(arguments: list[str], code: int, tmp_path: Path) -> None:
    done = run(*arguments, data_dir=tmp_path / "not", text=FAILED)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert (done.stderr != b"") == (code == 2)


@pytest.mark.thorough
def test_whoever_reads_may_stop_early(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.json").write_bytes(WHOLE.replace(b"Hello", b"x" * 60_000))
    command = [sys.executable, str(ROOT / "manage.py"), "inspect", "--json", str(tmp_path)]
    environment = {**os.environ, "INSPECTOR_BOOTSTRAP": "0"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as done:
        assert done.stdout is not None and done.stderr is not None
        assert json.loads(done.stdout.readline())["path"] == str(tmp_path / "0.json")
        done.stdout.close()
        assert done.stderr.read() == b""


def test_a_body_needs_no_broker_to_be_read(whole: Path, tmp_path: Path) -> None:
    """Everybody waits for what a command imports."""
    program = (
        "import sys;"
        "from inspector.operations.reports import input_files, sarif, summary, terminal;"
        f"input_files.load_input_file({str(whole)!r});"
        "print(*sorted({'celery', 'redis', 'inspector.archive.intake.submission'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.thorough
def test_an_encoding_that_lacks_a_sign_ends_nothing(whole: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "inspect", str(whole)],
        env={**os.environ, "INSPECTOR_BOOTSTRAP": "0", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2713 complete, answered. The choice has a finish reason.\n" in done.stdout


def test_its_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main("inspect-responses", ["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"inspect-responses {VERSION}\n"
