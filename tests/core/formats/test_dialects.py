"""Wire formats: each is recognised by its own recordings alone, and found by its folder."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from inspector.core import formats, vendors
from inspector.core.analysis import Verdict
from inspector.core.fields.finish_reasons import VENDOR_SPELLINGS, finish_meanings
from inspector.core.formats import Dialect, FieldsSeen, base_chain, recognise
from inspector.core.reading import Reading, analyze
from inspector.core.tape import LaneMode
from inspector.core.wire.exchange import Exchange
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    HELLO,
    ROLE,
    STOP,
    analysis,
    chunk,
    codes,
    completion,
    delta,
    event,
    reading,
)
from tests.core.frames import exception, frame
from tests.core.telemetry_records import CHAT, WHO, record
from tests.core.telemetry_records import HELLO as HELLO_TOLD

TEXT = b'{"id":"cmpl-1","object":"text_completion","created":1795183339,"model":"instruct-1","choices":[{"index":0,"text":"%s","finish_reason":%s}]}'
WORKFLOWAI_LAST = (
    b'{"index":0,"delta":{"role":"assistant","content":"."},"finish_reason":"stop",'
    b'"feedback_token":"eyJ0IjoxfQ==.c2ln","cost_usd":0.00042,"duration_seconds":1.20,'
    b'"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}'
)
WORKFLOWAI_STREAM = (
    event(
        b'{"id":"draft/1","object":"chat.completion.chunk","created":1795183339,"model":"m",'
        b'"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}'
    )
    + event(
        b'{"id":"draft/1","object":"chat.completion.chunk","created":1795183340,"model":"m",'
        b'"choices":[{"index":0,"delta":{"role":"assistant","content":" there"}}]}'
    )
    + event(
        b'{"id":"draft/1","object":"chat.completion.chunk","created":1795183341,"model":"m",'
        b'"choices":[%s]}' % WORKFLOWAI_LAST
    )
)
RESPONSES_STREAM = (
    b"event: response.created\n"
    b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress"}}\n\n'
    b"event: response.output_text.delta\n"
    b'data: {"type":"response.output_text.delta","sequence_number":1,"item_id":"msg_1","delta":"Hi"}\n\n'
    b"event: response.completed\n"
    b'data: {"type":"response.completed","sequence_number":2,"response":{"id":"resp_1","status":"completed"}}\n\n'
)
RESPONSES_WHOLE = b'{"id":"resp_1","object":"response","status":"completed","model":"m","output":[{"type":"message","content":[]}],"error":null}'
ANTHROPIC_STREAM = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[]}}\n\n'
    b'event: ping\ndata: {"type":"ping"}\n\n'
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n'
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}\n\n'
    b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
)
ANTHROPIC_WHOLE = b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}'
GEMINI_FIRST = (
    b'{"candidates":[{"content":{"parts":[{"text":"Hi"}],"role":"model"}}],"modelVersion":"g-1"}'
)
GEMINI_LAST = b'{"candidates":[{"content":{"parts":[{"text":"."}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":9}}'
OLLAMA_FIRST = b'{"model":"l","created_at":"2026-11-20T09:22:19Z","message":{"role":"assistant","content":"Hi"},"done":false}\n'
OLLAMA_LAST = b'{"model":"l","created_at":"2026-11-20T09:22:20Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":1840000000}\n'
COHERE_WHOLE = b'{"id":"7c31","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]}}'
COHERE_STREAM = (
    event(b'{"id":"7c31","type":"message-start","delta":{"message":{"role":"assistant"}}}')
    + event(b'{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}')
    + event(b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hi"}}}}')
    + event(b'{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}')
)  # fmt: skip
CONVERSE_STOP = frame("messageStop", b'{"stopReason":"end_turn"}')
CONVERSE_STREAM = (
    frame("messageStart", b'{"role":"assistant"}')
    + frame("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"Hi"}}')
    + CONVERSE_STOP
)

# dialect, name, body, verdict
RECORDINGS: list[tuple[str | None, str, bytes, Verdict]] = [
    ("openai-chat", "whole", GOOD, Verdict.COMPLETE),
    ("openai-chat", "stream", GOOD_STREAM, Verdict.COMPLETE),
    ("openai-chat", "stream without end mark", GOOD_STREAM[: -len(DONE)], Verdict.MISSING_TERMINATOR),
    ("openai-chat", "choices without message", b'{"choices":[{"index":0,"finish_reason":"stop"}]}', Verdict.COMPLETE),
    ("openai-chat", "no choice", completion(), Verdict.MISSING_FINISH),
    ("openai-chat", "error on a choice", chunk(STOP[:-1] + b',"error":{"message":"x"}}') + DONE, Verdict.PROVIDER_ERROR),
    ("openai-text", "whole", TEXT % (b"Basel.", b'"stop"'), Verdict.COMPLETE),
    ("openai-text", "stream", event(TEXT % (b"Ba", b"null")) + event(TEXT % (b"sel.", b'"stop"')) + DONE, Verdict.COMPLETE),
    ("openai-text", "stream cut", event(TEXT % (b"Ba", b"null")), Verdict.CUT_OFF),
    ("workflowai", "whole", completion(HELLO[:-1] + b',"cost_usd":0.001}'), Verdict.COMPLETE),
    ("workflowai", "stream", WORKFLOWAI_STREAM, Verdict.COMPLETE),
    ("openai-chat", "a workflowai stream cut before its last chunk", WORKFLOWAI_STREAM[:200], Verdict.CUT_OFF),
    ("openai-responses", "whole", RESPONSES_WHOLE, Verdict.COMPLETE),
    ("openai-responses", "stream", RESPONSES_STREAM, Verdict.COMPLETE),
    ("openai-responses", "stream cut at an event", RESPONSES_STREAM[: RESPONSES_STREAM.index(b"event: response.completed")], Verdict.CUT_OFF),
    ("openai-responses", "stream cut inside", RESPONSES_STREAM[:-20], Verdict.CUT_OFF),
    ("anthropic", "whole", ANTHROPIC_WHOLE, Verdict.COMPLETE),
    ("anthropic", "stream", ANTHROPIC_STREAM, Verdict.COMPLETE),
    ("anthropic", "stream cut at an event", ANTHROPIC_STREAM[: ANTHROPIC_STREAM.index(b"event: message_stop")], Verdict.MISSING_TERMINATOR),
    ("anthropic", "stream cut inside", ANTHROPIC_STREAM[:-20], Verdict.CUT_OFF),
    ("anthropic", "error in mid-stream", ANTHROPIC_STREAM[:110] + b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n', Verdict.PROVIDER_ERROR),
    ("gemini", "whole", GEMINI_LAST, Verdict.COMPLETE),
    ("gemini", "stream", event(GEMINI_FIRST) + event(GEMINI_LAST), Verdict.COMPLETE),
    ("gemini", "stream cut at an event", event(GEMINI_FIRST), Verdict.CUT_OFF),
    ("gemini", "stream cut inside", event(GEMINI_FIRST) + event(GEMINI_LAST)[:-20], Verdict.CUT_OFF),
    ("gemini", "array", b"[" + GEMINI_FIRST + b",\r\n" + GEMINI_LAST + b"]", Verdict.COMPLETE),
    ("gemini", "array without a finish", b"[" + GEMINI_FIRST + b"]", Verdict.CUT_OFF),
    ("gemini", "blocked prompt", event(b'{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{}}'), Verdict.COMPLETE),
    ("ollama", "whole", OLLAMA_LAST, Verdict.COMPLETE),
    ("ollama", "generate", b'{"model":"l","response":"Hi","done":true,"done_reason":"stop"}', Verdict.COMPLETE),
    ("ollama", "lines", OLLAMA_FIRST + OLLAMA_LAST, Verdict.COMPLETE),
    ("ollama", "lines cut at a line", OLLAMA_FIRST + OLLAMA_FIRST, Verdict.CUT_OFF),
    ("ollama", "lines cut inside", OLLAMA_FIRST + OLLAMA_LAST[:-20], Verdict.CUT_OFF),
    ("cohere", "whole", COHERE_WHOLE, Verdict.COMPLETE),
    ("cohere", "stream", COHERE_STREAM, Verdict.COMPLETE),
    ("cohere", "stream cut at an event", COHERE_STREAM[: COHERE_STREAM.index(b'data: {"type":"message-end"')], Verdict.CUT_OFF),
    ("bedrock-converse", "whole", b'{"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}},"stopReason":"end_turn"}', Verdict.COMPLETE),
    ("bedrock-converse", "stream", CONVERSE_STREAM, Verdict.COMPLETE),
    ("bedrock-converse", "stream cut at an event", CONVERSE_STREAM[: -len(CONVERSE_STOP)], Verdict.CUT_OFF),
    ("bedrock-converse", "stream cut inside", CONVERSE_STREAM[:-20], Verdict.CUT_OFF),
    ("otel-genai", "span", record({**CHAT, **WHO, "gen_ai.output.messages": HELLO_TOLD}), Verdict.COMPLETE),
    ("otel-genai", "span without content", record({**CHAT, **WHO}), Verdict.COMPLETE),
    ("otel-genai", "failed span", record({**CHAT, "error.type": "timeout"}), Verdict.PROVIDER_ERROR),
    (None, "span of something else", record({"http.request.method": "GET"}), Verdict.NOT_A_RESPONSE),
    ("provider-error", "exception", exception("throttlingException", b'{"message":"slow down"}'), Verdict.PROVIDER_ERROR),
    ("provider-error", "message alone", b'{"message":"invalid api token"}', Verdict.PROVIDER_ERROR),
    ("provider-error", "whole", b'{"error":{"message":"quota","type":"insufficient_quota","code":null}}', Verdict.PROVIDER_ERROR),
    ("provider-error", "text", b'{"error":"model not found"}', Verdict.PROVIDER_ERROR),
    ("provider-error", "detail", b'{"detail":"Not authenticated"}', Verdict.PROVIDER_ERROR),
    ("provider-error", "flat", b'{"object":"error","message":"no","type":"BadRequest","code":400}', Verdict.PROVIDER_ERROR),
    ("provider-error", "anthropic", b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', Verdict.PROVIDER_ERROR),
    ("provider-error", "gemini, in a list", b'[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]', Verdict.PROVIDER_ERROR),
    ("provider-error", "first event", event(b'{"error":{"message":"no"}}'), Verdict.PROVIDER_ERROR),
    (None, "html", b"<!doctype html><title>502 Bad Gateway</title>", Verdict.NOT_A_RESPONSE),
    (None, "other json", b'{"status":"ok"}', Verdict.NOT_A_RESPONSE),
    (None, "other events", event(b'{"tick":1}'), Verdict.NOT_A_RESPONSE),
    (None, "end mark alone", DONE, Verdict.NOT_A_RESPONSE),
    (None, "keep-alives alone", b": ping\n\n" * 3, Verdict.NOT_A_RESPONSE),
]  # fmt: skip
IDS = [f"{slug}: {name}" for slug, name, _, _ in RECORDINGS]


@pytest.fixture
def signs_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], FieldsSeen]:
    """The signs by which a body is recognised."""
    seen: list[FieldsSeen] = []

    def recognise_and_note(signs: FieldsSeen) -> tuple[Dialect, ...]:
        seen.append(signs)
        return recognise(signs)

    def signs_of(body: bytes) -> FieldsSeen:
        seen.clear()
        analysis(body)
        return seen[0]

    monkeypatch.setattr(formats, "recognise", recognise_and_note)
    return signs_of


@pytest.mark.parametrize(("slug", "name", "body", "verdict"), RECORDINGS, ids=IDS)
def test_every_recording_is_recognised_and_judged(
    slug: str | None, name: str, body: bytes, verdict: Verdict
) -> None:
    result = analysis(body)
    assert (result.dialect, result.verdict) == (slug, verdict)


def test_no_two_unrelated_dialects_recognise_the_same_recording(
    signs_of: Callable[[bytes], FieldsSeen],
) -> None:
    for _, name, body, _ in RECORDINGS:
        signs = signs_of(body)
        known = [one for one in formats.dialects().values() if one.recognises(signs)]
        for first, second in combinations(known, 2):
            is_related = first in base_chain(second) or second in base_chain(first)
            assert is_related, (name, first.slug, second.slug)


STREAMS = [(slug, body) for slug, _, body, _ in RECORDINGS if slug and body.startswith(b"data: ")]


@pytest.mark.parametrize(("slug", "body"), STREAMS)
def test_an_error_in_a_stream_does_not_hide_its_format(slug: str, body: bytes) -> None:
    result = analysis(body + event(b'{"error":{"message":"overloaded"}}'))
    assert result.dialect == slug


@pytest.mark.parametrize("body", [b'{"error":null,"ok":true}', b'{"error":null,"output":"Hi"}'])
def test_an_error_that_is_null_is_none(body: bytes) -> None:
    assert analysis(body).dialect is None


def test_every_dialect_has_a_recording() -> None:
    assert {slug for slug, *_ in RECORDINGS if slug} == set(formats.dialects())


def test_every_dialect_says_what_it_needs_to() -> None:
    for slug, dialect in formats.dialects().items():
        assert slug == dialect.slug and dialect.title
        assert dialect.base is None or dialect.base in formats.dialects()
        assert dialect.finish_reasons or dialect.object == "error"


def test_the_dialect_that_builds_on_another_holds(signs_of: Callable[[bytes], FieldsSeen]) -> None:
    (known,) = recognise(signs_of(WORKFLOWAI_STREAM))
    assert [one.slug for one in base_chain(known)] == ["workflowai", "openai-chat"]


# -- formats with shapes of their own -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (RESPONSES_STREAM, "Hi"),
        (ANTHROPIC_STREAM, "Hi"),
        (event(GEMINI_FIRST) + event(GEMINI_LAST), "Hi."),
        (OLLAMA_FIRST + OLLAMA_LAST, "Hi"),
    ],
    ids=["responses", "anthropic", "gemini", "ollama"],
)
def test_every_format_has_choices_and_events(body: bytes, content: str) -> None:
    machine = reading(body)
    result = machine.analysis()
    assert result.streamed and [one.content for one in result.choices] == [content]
    assert len(machine.tape().events.kind) == result.timeline.counts.chunks > 1


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        (RESPONSES_STREAM, "response.completed"),
        (ANTHROPIC_STREAM, "message_stop"),
        (GOOD_STREAM, "[DONE]"),
    ],
)
def test_the_verdict_names_what_closed_the_stream(body: bytes, mark: str) -> None:
    said = f"The choice has a finish reason and the stream ended with {mark}."
    assert analysis(body).verdict_reason == said


def test_a_whole_body_is_shown_as_sent() -> None:
    assert analysis(ANTHROPIC_WHOLE).completion["stop_reason"] == "end_turn"


# -- WorkflowAI -------------------------------------------------------------------------------------


def test_a_workflowai_stream_has_its_fields_and_usage_on_the_last_choice() -> None:
    result = analysis(WORKFLOWAI_STREAM)
    (one,) = result.choices
    assert (one.content, one.finish_reason) == ("Hi there.", "stop")
    assert (one.cost_usd, one.duration_seconds) == ("0.00042", "1.20")
    assert one.feedback_token == "eyJ0IjoxfQ==.c2ln"
    assert one.extras == {}
    assert (result.usage.total_tokens, result.usage.found_at) == (9, 2)
    assert result.completion["created"] == 1795183339
    assert result.vendor == "workflowai"
    assert codes(result) == {
        "chunks.finish-key-missing",
        "chunks.role-repeated",
        "envelope.created-changed",
        "usage.on-choice",
    }


def snapshot(text: bytes, more: bytes = b"") -> bytes:
    return chunk(b'{"index":0,"delta":{"role":"assistant","content":"%s"}%s}' % (text, more))


SNAPSHOTS = (
    snapshot(b'{\\"name\\":\\"\\"}')
    + snapshot(b'{\\"name\\":\\"Bas\\"}')
    + snapshot(b'{\\"name\\":\\"Basel\\",\\"canton\\":\\"BS\\"}')
)


def test_of_snapshots_the_last_is_the_content() -> None:
    machine = reading(SNAPSHOTS + snapshot(b"", b',"finish_reason":"stop","cost_usd":0.001'))
    result = machine.analysis()
    assert result.choices[0].content == '{"name":"Basel","canton":"BS"}'
    message = result.completion["choices"][0]["message"]
    assert message["content"] == '{"name":"Basel","canton":"BS"}'
    assert [lane.mode for lane in machine.tape().lanes] == [LaneMode.SNAPSHOT]


def test_a_cache_hit_sends_one_snapshot_in_the_final_chunk() -> None:
    machine = reading(snapshot(b'{\\"a\\":1}', b',"finish_reason":"stop","cost_usd":0'))
    assert machine.analysis().choices[0].content == '{"a":1}'
    assert machine.analysis().verdict is Verdict.COMPLETE


def test_increments_of_json_are_no_snapshots() -> None:
    body = snapshot(b'{\\"a\\":') + snapshot(b"[1]") + snapshot(b"}", b',"cost_usd":0.001')
    machine = reading(body)
    assert machine.analysis().choices[0].content == '{"a":[1]}'
    assert [lane.mode for lane in machine.tape().lanes] == [LaneMode.APPEND]


def test_lists_that_happen_to_be_json_are_no_snapshots_elsewhere() -> None:
    body = chunk(delta(b'"content":"[]"')) + chunk(delta(b'"content":"[1]"')) + chunk(STOP) + DONE
    assert analysis(body).choices[0].content == "[][1]"


def test_what_looked_like_snapshots_may_turn_out_to_be_none() -> None:
    body = snapshot(b"[1]") + snapshot(b"[1]") + snapshot(b" and more", b',"finish_reason":"stop"')
    machine = Reading(Exchange(reads=(), dialect="workflowai"))
    cut = len(snapshot(b"[1]")) * 2
    for part in (body[:cut], body[cut:]):
        machine.feed(Exchange.of_body(part).reads[0])
        machine.analysis()
    assert machine.analysis().choices[0].content == "[1][1] and more"


# -- a dialect chosen by a person, and one dropped into the folder ----------------------------------


def test_a_chosen_dialect_holds_against_recognition() -> None:
    result = analysis(GOOD_STREAM[: -len(DONE)], dialect="workflowai")
    assert (result.dialect, result.verdict) == ("workflowai", Verdict.COMPLETE)


def test_a_dialect_that_does_not_exist_is_recognised_instead() -> None:
    assert analysis(GOOD, dialect="klingon").dialect == "openai-chat"


def test_a_chosen_dialect_is_the_one_by_whose_table_objects_are_read() -> None:
    body = b'{"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}'
    assert [choice.content for choice in analysis(body).choices] == []
    assert [choice.content for choice in analysis(body, dialect="anthropic").choices] == ["Hi"]


INVENTED = """
from inspector.core.formats.dialect import Dialect, EndMark

DIALECT = Dialect(
    slug="parcel",
    title="parcel chat",
    base="openai-chat",
    recognises=lambda signs: "parcel_weight" in signs.choice,
    object="chat.completion",
    end_mark=EndMark.NONE,
)
"""
INVENTED_VENDOR = """
[parcel]
title = "Parcel"
layer = "maker"
bases = ["parcel"]
signs.dialects = ["parcel"]
"""


def forget() -> None:
    """Forget what was found in the folders."""
    formats.dialects.cache_clear()
    vendors.vendors.cache_clear()
    vendors.addresses.cache_clear()
    vendors.body_index.cache_clear()


def test_a_file_in_the_folder_is_a_dialect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zz_parcel.py").write_text(INVENTED)
    tables = tmp_path / "vendors.toml"
    tables.write_text(vendors.TABLES.read_text() + INVENTED_VENDOR)
    body = chunk(ROLE) + chunk(STOP[:-1] + b',"parcel_weight":7}')
    with monkeypatch.context() as patched:
        patched.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
        patched.setattr(vendors, "TABLES", tables)
        forget()
        result = analyze(Exchange.of_body(body))
    forget()
    assert (result.dialect, result.vendor) == ("parcel", "parcel")
    assert result.verdict is Verdict.COMPLETE
    assert analyze(Exchange.of_body(body)).dialect == "openai-chat"


def test_a_file_without_a_dialect_is_no_dialect() -> None:
    assert "dialect" not in formats.dialects()
    assert all(isinstance(dialect, Dialect) for dialect in formats.dialects().values())


def test_one_spelling_of_a_finish_reason_means_the_same_in_every_format() -> None:
    known = finish_meanings()
    for slug, dialect in formats.dialects().items():
        for reason, meaning in dialect.finish_reasons.items():
            assert known[reason] is meaning, (slug, reason)
    assert not VENDOR_SPELLINGS.keys() & {
        reason for dialect in formats.dialects().values() for reason in dialect.finish_reasons
    }
