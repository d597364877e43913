"""Logs of programs that call models: LiteLLM, Langfuse and llm. Their objects are their own."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.transfer.files.registry import FileKindName, recognised
from inspector.transfer.files.source import opened_source
from tests.transfer.files.reading_files import WHOLE, file_of, kind_of, only, told

ANSWER = json.loads(WHOLE)


def text_of(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


# -- LiteLLM ---------------------------------------------------------------------------------------

PAYLOAD = {
    "id": "chatcmpl-1",
    "trace_id": "t1",
    "call_type": "acompletion",
    "status": "success",
    "startTime": 1772366400.5,
    "endTime": 1772366402.0,
    "completionStartTime": 1772366401.0,
    "model": "gpt-4o",
    "api_base": "https://api.example/v1",
    "messages": [{"role": "user", "content": "hi"}],
    "model_parameters": {"temperature": 0, "stream": True},
    "end_user": "u7",
    "response": ANSWER,
}


def test_a_payload_of_litellm_is_its_object_with_what_it_says_of_times_beside_it() -> None:
    assert kind_of(text_of(PAYLOAD)) is FileKindName.LITELLM
    found = only(file_of(text_of(PAYLOAD)))
    assert json.loads(found.exchange.body) == ANSWER
    assert found.started_at == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)
    assert found.exchange.reads[0].at_us is None
    assert found.metadata == {
        "trace": "t1",
        "user": "u7",
        "litellm": {
            "id": "chatcmpl-1",
            "call_type": "acompletion",
            "first_token_ms": 500.0,
            "duration_ms": 1500.0,
        },
    }
    assert found.exchange.request is not None and found.exchange.request.body is not None
    assert json.loads(found.exchange.request.body) == {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0,
        "stream": True,
    }


def test_a_payload_printed_for_people_is_read_alike() -> None:
    assert len(told(file_of(json.dumps(PAYLOAD, indent=2).encode()))) == 1


def test_spend_logs_have_the_response_as_text_and_often_none() -> None:
    spend = {
        "request_id": "r1",
        "call_type": "completion",
        "startTime": "2026-03-01T12:00:00+00:00",
        "response": json.dumps(ANSWER),
        "session_id": "s1",
    }
    without = spend | {"response": {}}
    failed = PAYLOAD | {"status": "failure", "response": None, "error_str": "no such model"}
    assert told(file_of(json.dumps([spend, without, failed]).encode())) == [
        (1, json.dumps(ANSWER)),
        (2, "unreadable: the log was kept without the response"),
        (3, "passed over: the call failed: no such model"),
    ]


# -- Langfuse --------------------------------------------------------------------------------------

MESSAGE = {"role": "assistant", "content": "Hello"}
OBSERVATION = {
    "id": "o1",
    "traceId": "t1",
    "type": "GENERATION",
    "name": "answer",
    "startTime": "2026-03-01T12:00:00.500Z",
    "endTime": "2026-03-01T12:00:02.000Z",
    "completionStartTime": "2026-03-01T12:00:01.000Z",
    "model": "gpt-4o",
    "input": {"messages": [{"role": "user", "content": "hi"}]},
    "output": MESSAGE,
}
BLOB = {
    "id": "o1",
    "trace_id": "t1",
    "type": "GENERATION",
    "start_time": "2026-03-01 12:00:00.500000",
    "end_time": "2026-03-01 12:00:02.000000",
    "session_id": "s1",
    "output": json.dumps(ANSWER),
}


def test_an_observation_of_langfuse_is_the_output_that_its_program_gave() -> None:
    text = json.dumps({"data": [OBSERVATION], "meta": {"page": 1}}).encode()
    assert kind_of(text) is FileKindName.LANGFUSE
    found = only(file_of(text))
    assert json.loads(found.exchange.body) == MESSAGE
    assert found.started_at == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)
    assert found.metadata == {
        "trace": "t1",
        "langfuse": {"id": "o1", "name": "answer", "first_token_ms": 500.0, "duration_ms": 1500.0},
    }
    assert found.exchange.request is not None
    assert found.exchange.request.body == b'{"messages":[{"role":"user","content":"hi"}]}'


def test_an_export_to_blob_storage_has_other_names_and_moments_in_utc() -> None:
    found = only(file_of(text_of(BLOB)))
    assert json.loads(found.exchange.body) == ANSWER
    assert found.started_at == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)
    assert found.metadata == {
        "trace": "t1",
        "session": "s1",
        "langfuse": {"id": "o1", "duration_ms": 1500.0},
    }


def table(*rows: dict[str, object]) -> bytes:
    """As Langfuse writes one: objects as JSON, null as nothing."""
    made = io.StringIO()
    writer = csv.DictWriter(made, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {n: json.dumps(v) if isinstance(v, dict | list) else v for n, v in row.items()}
        )
    return made.getvalue().encode()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_table_of_langfuse_holds_what_its_json_holds(mark: bytes) -> None:
    for row in (OBSERVATION, BLOB):
        content = mark + table(row)
        assert kind_of(content) is FileKindName.LANGFUSE
        assert only(file_of(content)) == only(file_of(text_of(row)))


def test_a_table_without_types_is_of_answers_and_each_row_is_told_by_its_number() -> None:
    whole = {"id": "o1", "traceId": "t1", "startTime": None, "output": MESSAGE}
    rows = (
        whole,
        {**whole, "output": None},
        {**whole, "output": "only text,\nin two lines"},
        {**whole, "output": json.dumps(MESSAGE), "startTime": "2026-03-01T12:00:00Z"},
    )
    body = json.dumps(MESSAGE)
    assert told(file_of(table(*rows))) == [
        (1, body),
        (2, "passed over: no answer: it was kept without output"),
        (3, "unreadable: its output is text alone, without the response that it was part of"),
        (4, body),
    ]


def test_other_tables_are_none_and_a_row_that_is_no_text_costs_no_other() -> None:
    for other in (b"id,traceId,value\n1,t,0.5\n", b"id,input,output\n1,a,b\n", b"a,b\n", b""):
        assert kind_of(other) is FileKindName.BODY
    good = table({"traceId": "t", "output": MESSAGE})
    [first, (number, why), last] = told(file_of(good + b"t,\xff\xfe\n" + good.split(b"\r\n")[1]))
    assert (first[1], number, last) == (json.dumps(MESSAGE), 2, (3, json.dumps(MESSAGE)))
    assert why.startswith("unreadable: ")


def test_a_cell_may_be_longer_than_the_librarys_limit() -> None:
    long = {**MESSAGE, "content": [{"type": "text", "text": "x" * 300_000}]}
    found = only(file_of(table({"traceId": "t", "output": long})))
    assert json.loads(found.exchange.body) == long


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"type": "SPAN"}, "passed over: an observation of the type SPAN, not of an answer"),
        ({"output": None, "statusMessage": "timed out"}, "passed over: no answer: timed out"),
        (
            {"output": "Hello"},
            "unreadable: its output is text alone, without the response that it was part of",
        ),
        (
            {"output": [MESSAGE, MESSAGE]},
            "unreadable: its output is text alone, without the response that it was part of",
        ),
        ({"output": [MESSAGE]}, json.dumps(MESSAGE)),
    ],
)
def test_an_output_is_taken_only_where_it_is_an_object(changes: dict[str, Any], words: str) -> None:
    assert told(file_of(text_of(OBSERVATION | changes))) == [(1, words)]


# -- llm -------------------------------------------------------------------------------------------

MERGED = {
    "content": "Hello",
    "role": "assistant",
    "finish_reason": "stop",
    "usage": {"prompt_tokens": 1},
    "id": "c1",
    "object": "chat.completion.chunk",
    "model": "gpt-4o",
    "created": 1795183339,
}
PROMPT = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "logs.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, prompt_json TEXT, options_json TEXT, response TEXT, response_json TEXT, conversation_id TEXT, duration_ms INTEGER, datetime_utc TEXT)"
        )
        rows = [json.dumps(ANSWER), json.dumps(MERGED), None]
        for number, response in enumerate(rows, start=1):
            database.execute(
                "INSERT INTO responses VALUES (?, 'gpt-4o', 'hi', NULL, ?, '{}', 'Hello', ?, 'conversation', 812, '2026-03-01T12:00:00.500000')",
                (f"r{number}", json.dumps(PROMPT), response),
            )
    return path


def test_rows_of_llm_are_read_in_their_order(logs: Path) -> None:
    with opened_source(str(logs)) as source:
        file = recognised(source)
        assert file.kind.name is FileKindName.LLM_LOGS
        assert told(file) == [
            (1, json.dumps(ANSWER)),
            (
                2,
                '{"object":"chat.completion","usage":{"prompt_tokens":1},"id":"c1","model":"gpt-4o","created":1795183339,"choices":[{"index":0,"message":{"content":"Hello","role":"assistant"},"finish_reason":"stop"}]}'.replace(
                    '"content":"Hello","role":"assistant"', '"role":"assistant","content":"Hello"'
                ),
            ),
            (3, "unreadable: the row has no object of the response, only its text"),
        ]


def test_a_row_of_llm_has_its_moment_its_prompt_and_its_conversation(logs: Path) -> None:
    with opened_source(str(logs)) as source:
        content = next(recognised(source).entries()).content
    assert content.started_at == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)  # type: ignore[union-attr]
    assert json.loads(content.exchange.request.body) == PROMPT  # type: ignore[union-attr]
    assert content.metadata == {
        "session": "conversation",
        "llm": {"id": "r1", "model": "gpt-4o", "duration_ms": 812},
    }  # type: ignore[union-attr]


def test_another_database_is_no_log_of_llm(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE other (id)")
    with opened_source(str(path)) as source:
        assert recognised(source).kind.name is FileKindName.BODY
    path.write_bytes(path.read_bytes()[:50])
    with opened_source(str(path)) as source:
        assert recognised(source).kind.name is FileKindName.BODY
