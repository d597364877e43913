"""One sentence: what the reader got, where it broke, why."""

import json

from inspector.core.reading import Reading
from inspector.core.wire.exchange import Exchange
from inspector.dashboard.capture.head.headline import Headline, headline
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.transfer.samples import recording
from tests.dashboard.capture.samples import ID, SSE, chunk, delta, view, whole
from tests.operations import recordings as others


def read(exchange: Exchange) -> CaptureView:
    reading = Reading(exchange)
    for each in exchange.reads:
        reading.feed(each)
    return view(reading.analysis(), exchange.body, tape=reading.tape())


def words(found: Headline) -> str:
    parts = "".join(segment.text for part in found.parts for segment in part.text)
    return f"{found.lead} {parts}"


def test_a_broken_call_is_told_once_with_the_call_and_the_byte_that_it_ends_at() -> None:
    found = headline(read(recording("broken-arguments")))
    assert words(found) == (
        "Truncated. The arguments of book_shipment stop mid-JSON at byte 5,951: the answer hit"
        " max_tokens."
    )
    assert [part.href for part in found.parts if part.href] == [
        "#call-0-1",
        f"/captures/{ID}/lines/?byte=5951#byte-5951",
    ]


def test_a_cut_stream_tells_the_silence_before_its_end() -> None:
    assert words(headline(read(recording("cut-off")))) == (
        "Cut off. The body ends inside event #14, which began at byte 2,521, after 2,672 bytes"
        " and 1.40 s of silence."
    )


def test_an_answer_says_how_long_it_is_and_how_long_it_took() -> None:
    found = headline(read(recording("reasoning")))
    assert words(found).startswith("Answered. ")
    assert " characters in " in words(found)
    assert words(headline(read(others.recording("refusal")))).startswith("Refused. ")


def test_a_long_error_within_a_stream_is_cut_and_stands_alone() -> None:
    error = "data: " + json.dumps({"error": {"message": "It exploded: " + "very long " * 60}})
    body = f"{chunk(delta(0, content='Hello'))}{error}\n\n".encode()
    said = words(headline(read(Exchange.of_body(body, SSE))))
    assert said.startswith("Provider error. The provider sent an error at event #1")
    assert said.endswith("…")
    assert len(said) < 260


def test_an_answer_of_sound_or_images_says_so() -> None:
    audio = {"id": "a", "data": "UklGRg==", "transcript": "Hello."}
    spoken = {"role": "assistant", "content": None, "audio": audio}
    message = {"index": 0, "message": spoken, "finish_reason": "stop"}
    document = {"object": "chat.completion", "choices": [message]}
    assert words(headline(whole(document))).startswith("Answered. Audio.")
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    candidate = {
        "content": {"parts": [{"text": "So:"}, image], "role": "model"},
        "finishReason": "STOP",
    }
    drawn = Exchange.of_body(json.dumps({"candidates": [candidate]}).encode(), "application/json")
    assert words(headline(read(drawn))).startswith("Answered. 3 characters and 1 image.")
