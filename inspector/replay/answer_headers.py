"""The headers of a replayed answer: the recorded ones, the faults', and what we say of it."""

from __future__ import annotations

from urllib.parse import quote

from inspector.core.wire.exchange import Headers, TransportOutcome
from inspector.replay.body_faults import FaultyBody
from inspector.replay.error_bodies import ErrorAnswer
from inspector.replay.options import ReplayOptions
from inspector.replay.recorded_answer import RecordedAnswer

NAME = "x-inspector-replay"
CLOCK = "x-inspector-replay-clock"
"""Whose times are kept: ``recorded``, ``partial``, or ``none``, and then all comes at once."""
ASSUMED = "x-inspector-replay-assumed"
OUTCOME = "x-inspector-replay-outcome"
"""How the recorded response ended, where that was not its own end."""
DECODED = "x-inspector-replay-decoded-from"
FAULT = "x-inspector-replay-fault"
"""On an error that we wrote."""
_LENGTH = "content-length"
_TYPE = "content-type"


def answer_headers(answer: RecordedAnswer, options: ReplayOptions, body: FaultyBody) -> Headers:
    left_out = set()
    if body.decoded_from is not None:
        left_out.add("content-encoding")
    if body.is_longer_or_shorter or not _is_length_right(answer):
        left_out.add(_LENGTH)
    kept = tuple(header for header in answer.headers if header[0] not in left_out)
    own = [*_own(answer), (DECODED, body.decoded_from)]
    return (*_changed(kept, options), *((name, value) for name, value in own if value))


def error_headers(answer: RecordedAnswer, options: ReplayOptions, error: ErrorAnswer) -> Headers:
    headers = [*error.headers, (_LENGTH, str(len(error.body)))]
    if options.retry_after is not None:
        headers.append(("retry-after", str(options.retry_after)))
    return (*_changed(tuple(headers), options), (NAME, _ascii(answer.name)), (FAULT, "status"))


def _own(answer: RecordedAnswer) -> list[tuple[str, str]]:
    is_ended = answer.outcome is TransportOutcome.ENDED
    return [
        (NAME, _ascii(answer.name)),
        (CLOCK, answer.clock),
        (ASSUMED, ", ".join(answer.assumed)),
        (OUTCOME, "" if is_ended else answer.outcome),
    ]


def _changed(headers: Headers, options: ReplayOptions) -> Headers:
    dropped = set(options.drop_header)
    if options.content_type is not None:
        dropped.add(_TYPE)
    kept = tuple(header for header in headers if header[0] not in dropped)
    typed = ((_TYPE, options.content_type),) if options.content_type is not None else ()
    return (*typed, *kept, *options.add_header)


def _is_length_right(answer: RecordedAnswer) -> bool:
    """A body that broke off is shorter than it had announced."""
    stated = [value for name, value in answer.headers if name == _LENGTH]
    if len(stated) != 1 or not (stated[0].isascii() and stated[0].isdigit()):
        return False
    if answer.outcome is TransportOutcome.ENDED:
        return int(stated[0]) == answer.byte_length
    return int(stated[0]) >= answer.byte_length


def _ascii(name: str) -> str:
    return quote(name, safe=" /.-_~:@+,()")
