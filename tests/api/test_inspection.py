import os
import signal

import pytest
from django.conf import LazySettings

from inspector.archive import readouts
from inspector.archive.models import Capture
from inspector.archive.readers.child import WebReader
from tests.archive.samples import CUT, WHOLE
from tests.people import Person

INSPECT = "/api/v1/inspect/"


def test_an_analysis_is_given_and_nothing_is_stored(owner: Person) -> None:
    analysis = owner.post(INSPECT, WHOLE).json["analysis"]
    assert (analysis["verdict"], analysis["choices"][0]["content"]) == ("complete", "Hello")
    assert analysis["completion"]["id"] == "chatcmpl-1"
    assert not Capture.objects.exists()


def test_a_broken_body_is_analysed_like_any_other(owner: Person) -> None:
    analysis = owner.post(INSPECT, CUT).json["analysis"]
    assert analysis["verdict"] == "cut-off"


def test_usage_is_answered_as_a_ledger_too(owner: Person) -> None:
    usage = b'"usage":{"prompt_tokens":9,"completion_tokens":null,"total_tokens":21}'
    body = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"a"},"cost_usd":0.10}],%s}'
    ledger = owner.post(INSPECT, body % usage).json["ledger"]
    prompt, completion = ledger["total"]["parts"][:2]
    assert (prompt["count"], prompt["pointer"]) == (9, "/usage/prompt_tokens")
    assert completion["count"] is None
    assert "count" not in prompt["parts"][0]
    assert (ledger["lines"][0]["left_text"], ledger["lines"][0]["outcome"]) == (
        "9 prompt + completion", "undecidable",
    )  # fmt: skip
    assert [cost["amount"] for cost in ledger["costs"]] == ["0.10"]


def test_a_dialect_may_be_chosen(owner: Person) -> None:
    analysis = owner.post(f"{INSPECT}?dialect=openai-text", WHOLE).json["analysis"]
    assert analysis["dialect"] == "openai-text"


def test_a_part_of_a_text_with_several_responses_may_be_chosen(owner: Person) -> None:
    text = b"First:\n" + WHOLE + b"\nThen:\n" + WHOLE.replace(b"Hello", b"Goodbye") + b"\n"
    analysis = owner.post(f"{INSPECT}?part=2", text).json["analysis"]
    assert (analysis["verdict"], analysis["choices"][0]["content"]) == ("complete", "Goodbye")
    refused = owner.post(f"{INSPECT}?part=3", text)
    assert (refused.status, refused.code) == (422, "invalid_parameter")
    assert "2 responses found, and none has number 3" in refused.json["error"]["message"]
    assert owner.post(f"{INSPECT}?part=0", text).code == "invalid_parameter"


def test_the_bounds_are_those_of_captures(owner: Person) -> None:
    assert owner.post(INSPECT, b"").code == "length_required"
    assert owner.post(INSPECT, b"{}", "multipart/form-data").code == "form_encoded"
    assert owner.post(f"{INSPECT}?tag=a", WHOLE).code == "unknown_parameter"
    assert owner.post(INSPECT, b"{}", "application/vnd.inspector.exchange+json").status == 422
    assert owner.get(INSPECT).status == 405


def test_odd_text_is_answered_in_valid_json(owner: Person) -> None:
    answer = owner.post(INSPECT, WHOLE.replace(b"Hello", rb"\ud800 \u0000 \u00e9"))
    assert answer.body.isascii()
    assert answer.json["analysis"]["choices"][0]["content"].endswith(" \0 é")


def test_a_body_over_the_bound_is_told_its_name(owner: Person, settings: LazySettings) -> None:
    settings.MAX_WAIT_BYTES = len(WHOLE) - 1
    refused = owner.post(INSPECT, WHOLE)
    assert (refused.status, refused.code) == (413, "body_too_large")
    assert "MAX_WAIT_BYTES" in refused.json["error"]["message"]


def test_what_is_not_small_is_answered_alike(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    small = owner.post(INSPECT, WHOLE).body
    settings.SMALL_READING_BYTES = 0
    assert owner.post(INSPECT, WHOLE).body == small
    assert len(readers.pids()) == 1


def test_what_cannot_be_read_here_is_told_and_the_next_is_read(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    settings.SMALL_READING_BYTES = 0
    settings.MAX_ANSWER_BYTES = 100
    too_large = owner.post(INSPECT, WHOLE)
    assert (too_large.status, too_large.code) == (413, "reading_too_large")
    assert set(too_large.json["error"]) == {"code", "message", "request_id"}
    settings.MAX_ANSWER_BYTES = 1_000_000
    settings.READING_SECONDS = 0.01
    (pid,) = readers.pids()
    os.kill(pid, signal.SIGSTOP)
    too_long = owner.post(INSPECT, WHOLE)
    assert (too_long.status, too_long.code) == (503, "reading_too_long")
    assert "Retry-After" in too_long.headers
    settings.READING_SECONDS = 60
    settings.READER_WAIT_SECONDS = 0
    with readers.reader():
        busy = owner.post(INSPECT, WHOLE)
    assert (busy.status, busy.code) == (503, "readers_busy")
    assert owner.post(INSPECT, WHOLE).status == 200


def test_so_much_is_read_for_a_key_and_others_are_not_kept_waiting_by_it(
    owner: Person, teammate: Person, stranger: Person, settings: LazySettings, readers: WebReader
) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    assert owner.post(INSPECT, WHOLE).status == 200
    refused = owner.post(INSPECT, WHOLE)
    assert (refused.status, refused.code) == (429, "too_much_to_read")
    assert int(refused.headers["Retry-After"]) > 1
    assert teammate.post(INSPECT, WHOLE).status == 200
    assert stranger.post(INSPECT, WHOLE).status == 200


def test_what_is_very_long_is_answered_as_it_would_be_stored_with_what_that_leaves_out(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.SMALL_READING_BYTES = 1_000_000
    monkeypatch.setattr(readouts, "READOUT_BYTES", 2_000_000)
    body = b'{"object":"chat.completion","choices":[{"message":{"tool_calls":[%s]}}]}'
    short, long = (owner.post(INSPECT, body % b",".join([b"{}"] * n)) for n in (2, 20_000))
    assert short.json["truncated"] == []
    assert {"pointer": "/choices/0/tool_calls", "length": 10_000} in long.json["truncated"]
    assert long.json["analysis"]["findings"][0]["code"] == "reading.capped"
    assert len(long.body) < 1_500_000
