"""Pasted text is told apart by what it is, and a person may say otherwise."""

import json

import pytest

from inspector.core.json.document import BadDocument
from inspector.core.wire.exchange import Read
from inspector.dashboard.paste.pasted import PastedKind, PasteOptions, read_pasted
from tests.archive.samples import CUT, STREAM, WHOLE
from tests.transfer.test_har import entry, log

READS = b'{"at_us": 5, "data": "data: 1\\n\\n"}\n{"at_us": 9, "data_b64": "/w=="}\n'
ENVELOPE = b'{"response": {"status": 201, "body": "hello"}, "idempotency_key": "k"}'
RESPONSES_EVENT = b'{"type": "response.completed", "response": {"id": "r", "output": []}}'


def har(*entries: object) -> bytes:
    return json.dumps(log(*entries)).encode()


@pytest.mark.parametrize(
    "content",
    [b"", b" ", WHOLE, STREAM, CUT, RESPONSES_EVENT, b"\xff\xfe", b"[]", b"null",
     b'{"response": 1}', b'{"response": {}}', har(entry())[:-9], b'{"response"' * 99],
)  # fmt: skip
def test_a_response_is_its_own_bytes(content: bytes) -> None:
    found = read_pasted(content, PasteOptions())
    assert found.kind is PastedKind.BODY
    assert found.arrival.exchange.reads == (Read(None, content),)


def test_an_envelope_is_opened_and_its_key_left_behind() -> None:
    found = read_pasted(ENVELOPE, PasteOptions())
    assert found.kind is PastedKind.ENVELOPE
    assert (found.arrival.exchange.body, found.arrival.exchange.status_code) == (b"hello", 201)
    assert found.arrival.idempotency_key is None


def test_a_recording_of_reads_keeps_its_times() -> None:
    found = read_pasted(READS, PasteOptions())
    assert found.kind is PastedKind.READS
    assert found.arrival.exchange.reads == (Read(5, b"data: 1\n\n"), Read(9, b"\xff"))


def test_a_har_lists_its_entries_and_opens_one() -> None:
    second = entry(content={"mimeType": "application/json", "text": "second"})
    content = har(entry(), second)
    found = read_pasted(content, PasteOptions())
    assert (found.kind, found.entry, len(found.entries)) == (PastedKind.HAR, 0, 2)
    assert read_pasted(content, PasteOptions(entry=1)).arrival.exchange.body == b"second"
    assert read_pasted(content, PasteOptions(entry=77)).entry == 0


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"response": {"body": 1}}', "invalid_envelope"),
        (b'{"response": {"body": ""}, "team": "x"}', "invalid_envelope"),
        (READS + b"{}\n", "invalid_reads"),
        (b'{"log": {"entries": [1, {"response": 2}]}}', "invalid_har"),
        (b'{"log": {"entries": []}, "response": 1}', "invalid_har"),
    ],
)
def test_what_is_clearly_meant_and_broken_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(BadDocument) as refused:
        read_pasted(content, PasteOptions())
    assert refused.value.code == code


@pytest.mark.parametrize("content", [ENVELOPE, READS, har(entry())])
def test_a_person_may_want_the_bytes_as_they_are(content: bytes) -> None:
    found = read_pasted(content, PasteOptions(as_it_is=True))
    assert (found.kind, found.arrival.exchange.body) == (PastedKind.BODY, content)


def test_what_a_person_says_of_it_wins() -> None:
    found = read_pasted(ENVELOPE, PasteOptions(content_type="text/plain", dialect="openai-chat"))
    assert found.arrival.exchange.content_type == "text/plain"
    assert found.arrival.exchange.dialect == "openai-chat"


def test_a_part_of_a_text_is_a_response_of_its_own() -> None:
    answer = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"Hi"}}]}'
    content = b"First:\n" + answer + b"\nSecond:\n" + answer + b"\n"
    assert read_pasted(content, PasteOptions()).kind is PastedKind.BODY
    found = read_pasted(content, PasteOptions(entry=1))
    assert (found.kind, found.entry, [part.line for part in found.parts]) == (
        PastedKind.PART,
        1,
        [2, 4],
    )
    assert found.arrival.exchange.body == answer
    assert read_pasted(content, PasteOptions(entry=2)).kind is PastedKind.BODY
    assert (
        read_pasted(content, PasteOptions(entry=1, as_it_is=True)).arrival.exchange.body == content
    )
