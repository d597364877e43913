"""Answers to replay, from files: whatever ``inspect`` reads, and every entry of a HAR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from inspector.core.json import parser
from inspector.core.request_params import parse_request_body, parse_request_params
from inspector.core.wire.exchange import Exchange, Request
from inspector.operations.reports import input_files
from inspector.replay.body_layout import BodyLayout, layout_of
from inspector.replay.matching import RequestFacts
from inspector.replay.recorded_answer import RecordedAnswer, answer_of

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
    name, content = Path(path).name, input_files.read_input_file(path)
    loaded = input_files.parse_input_file(path, content)
    entries = _har_entries(content) if loaded.carrier is input_files.Carrier.BODY else None
    if loaded.carrier is input_files.Carrier.ENVELOPE:
        yield name, _as_sent(content)
    elif entries is None:
        yield name, loaded.exchange
    for number, exchange in enumerate(entries or ()):
        yield f"{name} {number}", exchange


def _as_sent(envelope: bytes) -> Exchange:
    """Returns the exchange with its credentials: nothing is stored here, and the bytes are to be
    the recorded ones.
    """
    from inspector.transfer.envelope import parse_envelope

    return parse_envelope(envelope).exchange


def _har_entries(content: bytes) -> list[Exchange] | None:
    """The readable entries of a HAR; None for anything else. The import is slow."""
    if b'"response"' not in content or not content.lstrip().startswith(b"{"):
        return None
    from inspector.transfer import har

    entries = har.entries_in(parser.parse_json(content).value)
    if entries is None:
        return None
    readable = (entry for entry in har.summarize_entries(entries) if entry.is_readable)
    return [har.parse_entry(entries[entry.number]).exchange for entry in readable]
