"""The operations a reader process runs. Pure functions over values of the core."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from inspector.archive.readers.response_json import submitted_analysis
from inspector.archive.readers.sdk_readers import sdk_step
from inspector.core import reading
from inspector.core.analysis import Analysis
from inspector.core.json.encoding import encode_json
from inspector.core.minimisation.minimiser import (
    Minimisation,
    begin_minimisation,
    continue_minimisation,
)
from inspector.core.pasted.responses import PastedResponse, pasted_responses
from inspector.core.prompt.prompt import PromptReading
from inspector.core.prompt.reading import PromptRequest, read_prompt
from inspector.core.readout import readout
from inspector.core.splits import every_split
from inspector.core.splits.every_split import SplitPosition
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange

ReaderOperation = Callable[[Any], Any]


def analysis(exchange: Exchange) -> Analysis:
    return reading.analyze(exchange)


def response_json(exchange: Exchange) -> bytes:
    """The JSON that the API answers."""
    return encode_json(submitted_analysis(reading.analyze(exchange)))


def responses(body: bytes) -> tuple[PastedResponse, ...]:
    """The responses in a pasted text that holds several."""
    return pasted_responses(body)


def prompt(given: PromptRequest) -> PromptReading:
    """The messages of a request that are wanted."""
    return read_prompt(given)


class SplitStep(msgspec.Struct, frozen=True):
    """A step of reading an exchange at every split: go on from here."""

    exchange: Exchange
    position: SplitPosition | None = None


def split_step(given: SplitStep) -> SplitPosition:
    return every_split.advance(given.exchange, given.position)


class MinimisationStart(msgspec.Struct, frozen=True):
    """A finding of an exchange that is to be minimised."""

    exchange: Exchange
    code: str
    pointer: str | None = None


class MinimisationStep(msgspec.Struct, frozen=True):
    """A step of a minimisation: begin it, or go on from here, for about so many seconds."""

    begin_at: MinimisationStart | Minimisation
    seconds: float


def minimisation_step(given: MinimisationStep) -> Minimisation | None:
    """Returns None if the exchange has no such finding."""
    end = time.monotonic() + given.seconds
    state: Minimisation | None
    if isinstance(given.begin_at, Minimisation):
        state = given.begin_at
    else:
        start = given.begin_at
        state = begin_minimisation(start.exchange, start.code, start.pointer)
    return state and continue_minimisation(state, lambda: time.monotonic() > end)


OPERATIONS: dict[str, ReaderOperation] = {
    work.__name__: work
    for work in (
        readout,
        analysis,
        response_json,
        responses,
        prompt,
        split_step,
        sdk_step,
        minimisation_step,
    )
}


def size_of(given: Exchange | PromptRequest | bytes) -> int:
    """Decompressed bytes of all bodies: what limits of rate and size count of a reading."""
    if isinstance(given, bytes):
        return len(given)
    if isinstance(given, PromptRequest):
        return len(given.body)
    request_body = given.request.body if given.request else None
    return len(decompressed(given).body) + len(request_body or b"")
