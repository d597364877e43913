"""Streams, the parts of their answers, and what holds for every recording."""

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.core.reading import Reading
from inspector.core.tape import Tape
from inspector.core.wire.exchange import Exchange, Read
from tests import tiers
from tests.core.tracing import Traced


def sse(*events: bytes) -> bytes:
    """A stream of events without names."""
    return b"".join(b"data: " + each + b"\n\n" for each in events)


def only_choice(result: Analysis) -> Choice:
    (choice,) = result.choices
    return choice


def texts(result: Analysis) -> list[tuple[str, object]]:
    """Kind and text of each block, of a call its arguments."""
    choice = only_choice(result)
    return [
        (block.kind, block.text if block.tool_call is None else _arguments(choice, block.tool_call))
        for block in choice.blocks
    ]


def _arguments(choice: Choice, position: int) -> str:
    return choice.tool_calls[position].arguments_text


def assert_cuttings_agree(body: bytes, content_type: str | None = None) -> None:
    """Two reads, cut at many bytes; and byte by byte."""
    about = Exchange(reads=(), content_type=content_type)
    expected = _fed(about, [body])
    # Each cut costs two readings.
    for at in range(1, len(body), len(body) // tiers.examples(30, 500) + 1):
        assert _fed(about, [body[:at], body[at:]]) == expected, at
    assert _fed(about, [body[at : at + 1] for at in range(len(body))]) == expected


def _fed(about: Exchange, parts: list[bytes]) -> tuple[Analysis, Tape]:
    machine = Reading(about)
    for part in parts:
        machine.feed(Read(None, part))
    tape = machine.tape()
    # The reads themselves differ by cutting, as they must.
    reads = msgspec.structs.replace(tape.reads, byte_end=[])
    return machine.analysis(), msgspec.structs.replace(tape, reads=reads)


def assert_every_character_has_bytes(exchange: Exchange) -> None:
    """The bytes of each character spell it, in the event that brought it."""
    found = Traced(exchange)
    assert list(found.faults()) == []
    assert found.characters or not found.tape.lanes
