"""Streams are delivered to the clients of libraries, cut in different ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from inspector.archive.readers import sdk_readers
from inspector.archive.readers.sdk_readers import SdkProgress, SdkReader, SdkStep, sdk_step
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import STREAM, WHOLE

WITH_IDS = STREAM.replace(b"data: {", b"id: 7\ndata: {")
ANTHROPIC = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}\n\n'
    b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
)


def finished(body: bytes, slug: str) -> SdkProgress:
    progress = sdk_step(SdkStep(Exchange.of_body(body), slug))
    while not progress.is_done:
        progress = sdk_step(SdkStep(Exchange.of_body(body), slug, progress.so_far, progress.done))
    return progress


def only_reader(monkeypatch: pytest.MonkeyPatch, read: sdk_readers.ReadStream) -> None:
    made = SdkReader("careless", "the careless client", ("json",), None, True, lambda: read)
    monkeypatch.setattr(sdk_readers, "SDK_READERS", {"careless": made})


def reads_lines(reads: Sequence[bytes]) -> Iterator[bytes]:
    """A client that takes each read for whole lines."""
    for read in reads:
        yield from (line[6:] for line in read.split(b"\n") if line.startswith(b"data: "))


def raises_inside(reads: Sequence[bytes]) -> Iterator[bytes]:
    """A client that raises where a read does not end in a line feed."""
    for read in reads:
        yield from reads_lines([read])
        if not read.endswith(b"\n"):
            raise EOFError


def test_an_event_that_a_client_loses_is_told_with_the_byte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_reader(monkeypatch, reads_lines)
    found = finished(STREAM, "careless").so_far
    at_bytes = [each for each in found.examples if each.cutting.byte is not None]
    assert at_bytes[0].sentence == (
        "The careless client loses event 0 where this stream is cut at byte 1."
    )
    assert (found.state, found.events, found.sentence) == ("tried", 3, None)
    # Byte by byte, two other line ends, and every place.
    assert found.tried == len(STREAM) - 1 + 3
    # All are told but cuts that end a line, and other line ends that the client reads as well.
    assert 0 < found.broken < found.tried


def test_an_exception_is_told_by_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    only_reader(monkeypatch, raises_inside)
    found = finished(STREAM, "careless").so_far
    assert found.examples[-1].sentence == (
        "The careless client fails with EOFError at event 1 where this stream is cut at byte"
        f" {found.examples[-1].cutting.byte}."
    )


def test_a_client_that_loses_events_uncut_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    only_reader(monkeypatch, lambda reads: [1])
    found = finished(STREAM, "careless").so_far
    assert found.sentence == ("The careless client gives 1 of 3 events even where nothing is cut.")
    assert (found.tried, found.broken) == (len(STREAM) - 1 + 3, 0)


def test_steps_of_a_client_go_on_from_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    only_reader(monkeypatch, reads_lines)
    whole = finished(STREAM, "careless")
    monkeypatch.setattr(sdk_readers, "STEP_SECONDS", -1.0)
    first = sdk_step(SdkStep(Exchange.of_body(STREAM), "careless"))
    assert (first.done, first.is_done) == (1, False)
    assert finished(STREAM, "careless") == whole


@pytest.mark.parametrize("slug", ["openai", "httpx-sse"])
def test_what_is_no_event_stream_is_not_tried(slug: str) -> None:
    found = finished(WHOLE, slug).so_far
    assert (found.state, found.sentence) == ("other-framing", "It reads event streams only.")


def test_the_openai_client_is_not_tried_with_other_formats() -> None:
    found = finished(ANTHROPIC, "openai").so_far
    assert (found.state, found.sentence) == (
        "other-framing",
        "It reads no stream of this format.",
    )


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = SdkReader("none", "none", ("no_such_library",), None, True, lambda: reads_lines)
    monkeypatch.setattr(sdk_readers, "SDK_READERS", {"none": missing})
    found = finished(STREAM, "none").so_far
    assert (found.state, found.sentence) == ("not-installed", "It is not installed here.")


# -- with the libraries ---------------------------------------------------------------------------


def test_the_openai_client_reads_a_stream_at_every_split() -> None:
    pytest.importorskip("openai")
    found = finished(STREAM, "openai").so_far
    assert (found.state, found.events, found.tried) == ("tried", 2, len(STREAM) - 1 + 3)
    assert (found.broken, found.examples) == (0, ())


def test_the_httpx_sse_client_reads_a_stream_at_every_split() -> None:
    pytest.importorskip("httpx_sse")
    pytest.importorskip("httpx")
    found = finished(WITH_IDS, "httpx-sse").so_far
    assert (found.state, found.events, found.tried) == ("tried", 3, len(WITH_IDS) - 1 + 3)
    assert (found.broken, found.examples) == (0, ())
