"""Answers to replay, from files: whatever ``inspect`` reads, every entry of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from inspector.core.request_params import parse_request_body, parse_request_params
from inspector.core.wire.exchange import Exchange, Request
from inspector.operations.reports import input_files
from inspector.replay.body_layout import BodyLayout, layout_of
from inspector.replay.matching import RequestFacts
from inspector.replay.recorded_answer import RecordedAnswer, answer_of
from inspector.transfer.exchange_envelope import exchange_of, read_envelope
from inspector.transfer.files.entries import FoundEnvelope
from inspector.transfer.json_document import BadDocument

PromptDigest = Callable[[Request | None], str | None]
"""A digest of the prompt; None if there is none."""


@dataclass(frozen=True)
class FileAnswer:
    """One answer with what is known of the request that it answered."""

    answer: RecordedAnswer
    facts: RequestFacts

    @cached_property
    def layout(self) -> BodyLayout:
        return layout_of(self.answer)


def load_answers(paths: list[str], digest: PromptDigest) -> list[FileAnswer]:
    """All answers in files and folders, in the order given. Raises ``InputFileError`` for a file
    that cannot be read, or holds nothing that could be replayed.
    """
    found = list[FileAnswer]()
    for path in input_files.find_input_files(paths):
        loaded = list(_answers_in(path, digest))
        if not loaded:
            raise input_files.InputFileError(f"{path}: no response in it")
        found += loaded
    return found


def facts_of(request: Request | None, digest: PromptDigest) -> RequestFacts:
    if request is None:
        return RequestFacts()
    body = parse_request_body(request)
    params = parse_request_params(body)
    return RequestFacts(
        path=urlsplit(request.url).path if request.url else None,
        model=params.model if params else None,
        prompt_sha256=digest(request),
        is_streamed=params.is_streamed if params else None,
    )


def _answers_in(path: str, digest: PromptDigest) -> Iterator[FileAnswer]:
    for name, exchange in _exchanges_in(path):
        answer = answer_of(exchange, name)
        if answer is not None:
            yield FileAnswer(answer, facts_of(exchange.request, digest))


def _exchanges_in(path: str) -> Iterator[tuple[str, Exchange]]:
    """Without entries that cannot be read. Raises ``InputFileError`` for a file that cannot."""
    name = Path(path).name
    for entry in input_files.entries_in(path):
        if isinstance(entry, input_files.InputNote):
            continue
        if isinstance(entry, input_files.InputRefusal):
            if entry.entry is not None:
                continue
            raise input_files.InputFileError(entry.message)
        number = "" if entry.number is None else f" {entry.number}"
        yield f"{name}{number}", _as_sent(path, entry)


def _as_sent(path: str, entry: input_files.InputEntry) -> Exchange:
    """Returns an envelope's exchange with its credentials: nothing is stored here, and the bytes
    are to be the recorded ones.
    """
    if not isinstance(entry.content, FoundEnvelope):
        return input_files.as_stored(entry)
    try:
        return exchange_of(read_envelope(entry.content.text))
    except BadDocument as error:
        raise input_files.InputFileError(f"{path}: {error.message}") from error
