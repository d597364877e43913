"""``list``, ``show`` and ``watch`` against a server with captures in it."""

import json
from typing import Any

import pytest

from inspector.operations.remote import client, watch
from inspector.operations.remote.capture_lines import capture_line
from inspector.operations.remote.client import Client, RemoteAnswer
from inspector.operations.remote.commands import run_remote
from inspector.operations.remote.show import capture_text
from inspector.operations.remote.watch import CaptureWatch
from tests.api.serving import Server, keep_one

CALLED = b'{"id":"cc-1","object":"chat.completion","created":1795183339,"model":"gpt-4o-listed","choices":[{"index":0,"message":{"role":"assistant","content":"first line\\nsecond\\u001b[31m line","tool_calls":[{"id":"t","type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":0,"total_tokens":3}}'


@pytest.fixture
def kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("INSPECTOR_URL", server.url)
    monkeypatch.setenv("INSPECTOR_KEY", server.key)
    return keep_one(server, CALLED)


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_remote(["inspector", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_captures_of_a_query_are_listed_one_a_line(
    kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = ran(capsys, "list", "model:gpt-4o-listed", "--limit", "1")
    [line] = out.splitlines()
    assert code == 0
    assert kept[:18] in line
    assert ran(capsys, "show", kept[:18])[0] == 0
    assert "complete, unusable-call" in line
    assert "3 → 0" in line


def test_rows_are_json_for_programs_and_of_several_pages(
    kept: str, server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.operations.remote.client.MOST_ROWS", 2)
    others = [keep_one(server, CALLED) for _ in range(4)]
    _, out, _ = ran(capsys, "list", "model:gpt-4o-listed", "--limit", "5", "--json")
    ids = [json.loads(line)["id"] for line in out.splitlines()]
    assert ids == [*reversed(others), kept]


def test_a_query_that_means_nothing_is_told(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "list", "verdict:nonsense")
    assert (code, out) == (2, "")
    assert "nonsense" in err


def test_a_capture_is_shown_with_texts_calls_and_findings(
    kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = ran(capsys, "show", kept)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == f"{kept}  complete, unusable-call"
    assert "    first line" in lines
    assert "    second␛[31m line" in lines
    assert any(line.startswith("  call get_weather (") for line in lines)
    assert '    {"city":' in lines
    assert any("tool.arguments" in line for line in lines)


def test_its_bytes_and_its_json_are_for_programs(
    kept: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run_remote(["inspector", "show", kept, "--raw"]) == 0
    assert capfdbinary.readouterr().out == CALLED
    assert run_remote(["inspector", "show", kept, "--json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["id"] == kept


def test_what_is_not_there_is_told(kept: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ran(capsys, "show", "00000000")
    assert code == 2
    assert "no capture is found by '00000000'" in err


def test_a_wrong_key_is_told_without_it(
    kept: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_KEY", "ri_wrong")
    for arguments in (("list",), ("show", kept), ("watch", "--count", "1")):
        code, out, err = ran(capsys, *arguments)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert "ri_wrong" not in err


# -- watching --------------------------------------------------------------------------------------


def test_captures_are_told_once_as_they_come(
    kept: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    arriving = ["one", "two", "three"]
    ids = list[str]()

    def arrive(_: float) -> None:
        # Between two questions something comes, in place of waiting.
        if arriving:
            arriving.pop()
            ids.append(keep_one(server, CALLED))

    monkeypatch.setattr(client, "pause", arrive)
    rows = CaptureWatch(Client(server.url, server.key), "model:gpt-4o-listed").rows()
    found = [next(rows)["id"] for _ in range(3)]
    assert found == ids
    assert kept not in found


def row(capture_id: str, state: str = "inspected", **values: Any) -> dict[str, Any]:
    return {
        "id": capture_id,
        "called_at": "2026-11-24T20:00:00.123456Z",
        "state": state,
        "verdict": None,
        "result": None,
        "model": None,
        "prompt_tokens": None,
        "completion_tokens": None,
        "first_token_us": None,
        "answer_line": None,
        **values,
    }


class ScriptedPages(Client):
    """The answer to each question in turn."""

    def __init__(self, *pages: list[dict[str, Any]] | int) -> None:
        super().__init__("http://127.0.0.1", "k", watch.PATIENCE_SECONDS)
        self.pages = list(pages)
        self.queries = list[dict[str, Any]]()

    def asked(self, method: str, path: str, query: Any = None, *_: Any, **__: Any) -> RemoteAnswer:
        self.queries.append(query)
        page = self.pages.pop(0)
        if isinstance(page, int):
            return RemoteAnswer(page, b"{}")
        cursor = f"cursor-{len(self.queries)}"
        return RemoteAnswer(200, json.dumps({"captures": page, "latest_cursor": cursor}).encode())


def test_a_capture_that_is_still_open_is_told_when_it_is_inspected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "pause", lambda seconds: None)
    pages = ScriptedPages(
        [row("old")],
        [row("b"), row("a", "recording")],
        [row("a", "processing")],
        [],
        [row("a")],
        [],
    )
    rows = CaptureWatch(pages).rows()
    assert [next(rows)["id"], next(rows)["id"]] == ["b", "a"]
    assert [query.get("after") or query.get("q") for query in pages.queries] == [
        None,
        "cursor-1",
        "id:a",
        "cursor-2",
        "id:a",
    ]


def test_watching_goes_on_where_the_server_was_away(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = list[float]()
    monkeypatch.setattr(client, "pause", waited.append)
    pages = ScriptedPages([], 503, 0, [row("a")])
    assert next(CaptureWatch(pages).rows())["id"] == "a"
    assert len(waited) == 2


def test_watching_ends_after_a_count(
    kept: str, server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "pause", lambda seconds: keep_one(server, CALLED))
    code, out, _ = ran(capsys, "watch", "--count", "1")
    assert (code, len(out.splitlines())) == (0, 1)
    assert watch.OPEN_STATES == ("received", "processing", "recording")


# -- lines -----------------------------------------------------------------------------------------


def test_a_line_tells_unknown_from_0_and_controls_nothing() -> None:
    known = row(
        "0194f3a2-77c1-7d0e-8000-000000000000",
        verdict="complete",
        result="empty",
        model="m\x1b[2J",
        prompt_tokens=0,
        first_token_us=0,
        answer_line="a\tb",
    )
    assert capture_line(known) == (
        "2026-11-24 20:00:00  0194f3a2-77c1-7d0e  complete, empty         m␛[2J                            0 → –       0 s  a␉b"
    )
    long = {**known, "answer_line": "a" * 200}
    assert [len(capture_line(long, width)) for width in (60, 120, 150)] == [130, 130, 150]


def test_a_capture_that_is_not_inspected_has_no_analysis_to_show() -> None:
    detail = {
        **row("0194f3a2", "quarantined"),
        "analysis": None,
        "quarantine_reason": "three attempts failed",
    }
    assert list(capture_text(detail, [])) == [
        "0194f3a2  quarantined",
        "not analysed: three attempts failed",
    ]
