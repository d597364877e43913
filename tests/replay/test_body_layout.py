"""Where events begin and what ends the stream, in each format."""

from __future__ import annotations

import base64
import gzip

import pytest

from inspector.replay.body_layout import BodyLayout, layout_of
from tests.core.frames import frame
from tests.core.native_bodies import ANTHROPIC_EVENTS, OLLAMA_LINES, RESPONSES_EVENTS
from tests.replay.answers import DONE, EVENTS, FIRST, LAST, answer

GEMINI = b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Well"}]},"index":0}],"modelVersion":"m"}\r\n\r\n'
GEMINI_END = b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"."}]},"finishReason":"STOP","index":0}],"modelVersion":"m"}\r\n\r\n'
CONVERSE = (
    ("messageStart", b'{"role":"assistant"}'),
    ("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"Well"}}'),
    ("contentBlockStop", b'{"contentBlockIndex":0}'),
    ("messageStop", b'{"stopReason":"end_turn"}'),
    ("metadata", b'{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}'),
)
COHERE = (
    b'{"type":"message-start","id":"c","delta":{"message":{"role":"assistant","content":[]}}}',
    b'{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}',
    b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Well"}}}}',
    b'{"type":"content-end","index":0}',
    b'{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}',
)


def layout(body: bytes, content_type: str = "text/event-stream") -> BodyLayout:
    return layout_of(answer((1, body), headers=(("content-type", content_type),)))


def marked(body: bytes, content_type: str = "text/event-stream") -> list[bytes]:
    """The events that end the stream."""
    return [body[start:end] for start, end in layout(body, content_type).end_marks]


def events(*objects: bytes) -> bytes:
    return b"".join(b"data: %s\n\n" % one for one in objects)


def test_events_begin_where_the_tape_has_them() -> None:
    body = b": hi\n" + FIRST + LAST + DONE
    starts = (0, 5, 5 + len(FIRST), 5 + len(FIRST + LAST))
    assert layout(body).event_starts == starts
    assert layout(body).dialect == "openai-chat"


def test_chat_completions_end_with_done() -> None:
    assert marked(FIRST + LAST + DONE) == [DONE]


def test_done_without_its_blank_line_ends_a_stream_too() -> None:
    assert marked(FIRST + LAST + b"data: [DONE]") == [b"data: [DONE]"]


def test_messages_end_with_message_stop() -> None:
    named = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    assert marked(events(*ANTHROPIC_EVENTS[:-1]) + named) == [named]


def test_responses_end_with_what_completes_them_and_with_a_done_behind_it() -> None:
    body = events(*RESPONSES_EVENTS) + DONE
    assert marked(body) == [events(RESPONSES_EVENTS[-1]), DONE]


def test_gemini_ends_with_the_chunk_that_has_a_finish_reason() -> None:
    assert marked(GEMINI + GEMINI_END) == [GEMINI_END]


def test_ollama_ends_with_the_line_that_is_done() -> None:
    body = b"".join(line + b"\n" for line in OLLAMA_LINES)
    assert marked(body, "application/x-ndjson") == [OLLAMA_LINES[-1] + b"\n"]


def test_cohere_ends_with_message_end() -> None:
    assert marked(events(*COHERE)) == [events(COHERE[-1])]


def test_converse_ends_with_message_stop_and_counts_may_follow() -> None:
    frames = [frame(kind, payload) for kind, payload in CONVERSE]
    found = marked(b"".join(frames), "application/vnd.amazon.eventstream")
    assert found == [frames[3]]


def test_events_that_frames_wrap_end_as_their_own_format_does() -> None:
    frames = [frame("chunk", b'{"bytes":"%s"}' % base64.b64encode(one)) for one in ANTHROPIC_EVENTS]
    found = marked(b"".join(frames), "application/vnd.amazon.eventstream")
    assert found == [frames[-1]]


@pytest.mark.parametrize(
    "body",
    [
        FIRST + LAST,
        events(*ANTHROPIC_EVENTS[:-1]),
        b"[" + GEMINI_END[6:].strip() + b"]",
        b'{"id":"c1","object":"chat.completion","choices":[]}',
        b"Bad gateway",
        b"",
    ],
)
def test_bodies_without_an_end_mark_have_none(body: bytes) -> None:
    assert marked(body) == []


def test_positions_count_decoded_bytes() -> None:
    coded = gzip.compress(FIRST + LAST + DONE)
    found = layout_of(
        answer((1, coded[:40]), (2, coded[40:]), headers=(*EVENTS, ("content-encoding", "gzip")))
    )
    assert (found.coding, found.fault) == ("gzip", None)
    assert found.event_starts == (0, len(FIRST), len(FIRST + LAST))
    assert [read.at_us for read in found.reads] == [1, 2]
