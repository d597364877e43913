"""All that the archive keeps of an exchange, computed where it is read: in a reader process, or
within the limit of a first reading. What is left to whoever stores it takes no time that a sender
could choose. Knows no database.
"""

from typing import Any

import msgspec

from inspector.archive import readouts
from inspector.core.analysis import Analysis
from inspector.core.answer.answer_line import prompt_line
from inspector.core.decoded_types import built
from inspector.core.readout import Readout, readout
from inspector.core.request.correlation import Correlation, correlation_of
from inspector.core.request.outline import PromptOutline, outline_of
from inspector.core.request.prompt_digest import digest_of, normalised_prompt
from inspector.core.search.searchable_texts import TextsByKind, searchable_texts
from inspector.core.search.word_parts import WordPart, word_parts
from inspector.core.wire.exchange import Exchange
from inspector.core.wire.request_ids import request_ids


class RequestFacts(msgspec.Struct, frozen=True):
    """What rows tell of the request."""

    model: str | None
    seed: int | None
    prompt_sha256: str | None
    prompt_line: str | None
    correlation: Correlation


class Extract(msgspec.Struct, frozen=True):
    analysis: Analysis
    packed: bytes
    """The whole readout, as it is stored."""
    request: RequestFacts
    outline: PromptOutline | None
    """That of the request's prompt; None where there is none to read."""
    request_ids: tuple[str, ...]
    """Those that the provider gave, in headers of the response."""
    texts: TextsByKind
    word_parts: tuple[WordPart, ...]


def extract(exchange: Exchange) -> Extract:
    return extract_of(exchange, readout(exchange))


def extract_of(exchange: Exchange, found: Readout) -> Extract:
    texts = searchable_texts(exchange.request, found.analysis)
    return Extract(
        analysis=found.analysis,
        packed=readouts.pack(found),
        request=request_facts(exchange),
        outline=outline_of(exchange.request),
        request_ids=request_ids(exchange.headers),
        texts=texts,
        word_parts=tuple(word_parts(texts)),
    )


def request_facts(exchange: Exchange) -> RequestFacts:
    body, prompt = _request_body(exchange), normalised_prompt(exchange.request)
    headers = exchange.request.headers if exchange.request else None
    return RequestFacts(
        model=body.model if isinstance(body.model, str) else None,
        seed=body.seed if isinstance(body.seed, int) else None,
        prompt_sha256=digest_of(prompt),
        prompt_line=prompt_line(prompt),
        correlation=correlation_of({}, headers, msgspec.structs.asdict(body)),
    )


class _RequestBody(msgspec.Struct):
    model: Any = None
    seed: Any = None
    user: Any = None
    safety_identifier: Any = None
    metadata: Any = None
    session_id: Any = None
    trace_id: Any = None
    conversation: Any = None


def _request_body(exchange: Exchange) -> _RequestBody:
    body = exchange.request.body if exchange.request else None
    try:
        return msgspec.json.decode(body or b"{}", type=built(_RequestBody))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _RequestBody()
