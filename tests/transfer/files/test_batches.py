"""Outputs of batches: a line for each request, with neither a time nor the request."""

import pytest

from inspector.core.wire.exchange import Read
from inspector.transfer.entries import FileKindName
from tests.transfer.files.reading_files import MESSAGE, WHOLE, file_of, kind_of, only, told

OPENAI = (
    b'{"id":"batch_req_1","custom_id":"row-7","response":{"status_code":200,"request_id":"req_9","body":'
    + WHOLE
    + b'},"error":null}\n'
)
ANTHROPIC = b'{"custom_id":"row-7","result":{"type":"succeeded","message":' + MESSAGE + b"}}\n"


def test_a_line_of_openai_is_the_answer_with_the_bytes_that_it_has_in_the_file() -> None:
    found = only(file_of(OPENAI))
    assert found.exchange.reads == (Read(None, WHOLE),)
    assert (found.exchange.status_code, found.exchange.content_type) == (200, "application/json")
    assert (found.started_at, found.exchange.request) == (None, None)
    assert found.metadata == {
        "custom_id": "row-7",
        "batch_id": "batch_req_1",
        "request_id": "req_9",
    }


def test_a_line_of_an_error_file_is_the_error_that_was_answered() -> None:
    line = b'{"id":"b","custom_id":"a","response":{"status_code":400,"body":{"error":{"message":"bad"}}},"error":null}\n'
    found = only(file_of(line))
    assert (found.exchange.status_code, found.exchange.body) == (
        400,
        b'{"error":{"message":"bad"}}',
    )


def test_a_request_without_a_response_is_passed_over_with_the_reason_in_its_line() -> None:
    expired = b'{"id":"b","custom_id":"a","response":null,"error":{"code":"batch_expired","message":"not in time"}}\n'
    assert told(file_of(expired + OPENAI)) == [
        (1, "passed over: no response came: batch_expired: not in time"),
        (2, WHOLE.decode()),
    ]


def test_a_broken_line_costs_no_other() -> None:
    numbers = [
        number
        for number, words in told(file_of(OPENAI + b'{"custom_id":\n' + OPENAI))
        if words == WHOLE.decode()
    ]
    assert numbers == [1, 3]


def test_a_last_line_without_its_newline_is_read() -> None:
    assert len(told(file_of(OPENAI + OPENAI.rstrip()))) == 2


def test_a_result_of_anthropic_is_the_message() -> None:
    assert kind_of(ANTHROPIC) is FileKindName.ANTHROPIC_BATCH
    found = only(file_of(ANTHROPIC))
    assert found.exchange.reads == (Read(None, MESSAGE),)
    assert found.metadata == {"custom_id": "row-7"}


def test_what_anthropic_did_not_answer_is_passed_over_and_an_error_is_an_answer() -> None:
    error = b'{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}'
    lines = (
        b'{"custom_id":"a","result":{"type":"expired"}}\n{"custom_id":"b","result":{"type":"errored","error":'
        + error
        + b"}}\n"
    )
    assert told(file_of(lines)) == [
        (1, "passed over: the request was expired: it has no answer"),
        (2, error.decode()),
    ]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (b'{"code":"400","message":"context too long"}', "400: context too long"),
        (b'{"message":{"error":{"message":"no quota"}}}', "no quota"),
        (b'"the worker died"', "the worker died"),
        (b'{"code":"batch_expired"}', "batch_expired"),
        (b'{"message":"Incorrect key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"}', "Incorrect key ********"),
        (b"null", "the line does not say why"),
    ],
)  # fmt: skip
def test_a_line_without_response_tells_the_words_of_its_error(error: bytes, words: str) -> None:
    line = b'{"id":"b","custom_id":"a","response":null,"error":' + error + b"}\n"
    ((_, reason),) = told(file_of(line))
    assert reason.startswith(f"passed over: no response came: {words}")


def test_a_response_without_body_tells_the_words_of_its_error() -> None:
    line = b'{"custom_id":"a","response":{"status_code":500},"error":{"message":"worker lost"}}\n'
    assert told(file_of(line)) == [(1, "unreadable: the response has no body: worker lost")]
