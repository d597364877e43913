"""Facts kept of a capture to place it in a session and to compare it, and their stored form."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from inspector.archive.inspection.projection import ProjectionRows
from inspector.archive.models import Capture, Inspection
from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Result, known
from inspector.core.decoded_types import built
from inspector.core.formats import dialects
from inspector.core.request.cache_miss import CallFacts
from inspector.core.request.changes import PromptChanges
from inspector.core.request.outline import (
    DIGEST_BYTES,
    CacheMarks,
    PromptOutline,
    Section,
    Size,
    before_the_answer,
    chain_of,
    storable,
)
from inspector.core.request.threads import Call
from inspector.database.column_text import clean_json, clean_name_or_none
from inspector.database.model_columns import new_row
from inspector.sessions.models import VALUE_CHARACTERS, Turn

MAX_TEXT_CHARACTERS = 4_096
"""Characters of a text that has to be cleaned; names and pointers are far shorter."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_CALLS = 100
"""Calls of one answer: models call a few tools at once."""
NAME_CHARACTERS = 200
FAILED = frozenset({
    Verdict.CLIENT_CANCELLED, Verdict.UPSTREAM_ERROR, Verdict.PROVIDER_ERROR,
    Verdict.NOT_A_RESPONSE, Verdict.UNREADABLE, Verdict.CUT_OFF,
})  # fmt: skip

_MICROSECOND = timedelta(microseconds=1)


class AnswerCall(msgspec.Struct, frozen=True, array_like=True):
    """A call of a tool in an answer."""

    id: str
    name: str


class StoredCall(msgspec.Struct, frozen=True, array_like=True):
    """Numbers and names of a call, which stay where its body is deleted."""

    facts: CallFacts
    start_us: int
    end_us: int
    answer_us: int | None
    clock: str
    """``started`` where the start that the sender or the proxy states counts, else ``arrived``."""
    head: int | None
    previous: str
    answer: int | None
    characters: int
    """Characters of the answer's texts."""
    reads: int
    body: str
    route: str
    has_failed: bool
    retry_of: str | None
    calls: tuple[AnswerCall, ...] = ()
    results: tuple[str, ...] = ()
    """Ids of the calls whose results the prompt adds."""
    sizes: dict[Section, Size] = {}
    items: int | None = None
    """Tools, instructions and messages of the prompt; None where no request was captured."""

    @property
    def measured_by(self) -> str:
        """A code of ``MeasuredBy``."""
        return self.route.rpartition(" ")[2]


_call_decoder = msgspec.msgpack.Decoder(built(StoredCall))
_outline_decoder = msgspec.msgpack.Decoder(built(PromptOutline))
_changes_decoder = msgspec.msgpack.Decoder(built(PromptChanges))


def is_turn(rows: ProjectionRows) -> bool:
    """Return False of calls that ask for no completion, and of spans, which tell of calls."""
    dialect = dialects().get(rows.inspection.dialect or "")
    is_told = dialect is not None and dialect.is_told
    return rows.inspection.verdict != Verdict.OTHER and not is_told


def turn_of(rows: ProjectionRows) -> Turn:
    """Return an unsaved row without a session."""
    inspection, outline = rows.inspection, rows.outline
    conversation = outline.conversation if outline else b""
    call = _stored_call(rows)
    row: Turn = new_row(
        Turn,
        capture_id=inspection.capture_id,
        team_id=inspection.team_id,
        session_id=None,
        called_at=inspection.called_at,
        key=inspection.capture.key_id,
        start_us=call.start_us,
        end_us=call.end_us,
        response_id=clean_name_or_none(inspection.response_id or None, VALUE_CHARACTERS),
        conversation=chain_of(conversation),
        answered_from=chain_of(before_the_answer(outline)) if outline else None,
        call=encoded(call),
        digests=conversation or None,
        outline=_packed(outline) if outline else None,
    )
    return row


def _stored_call(rows: ProjectionRows) -> StoredCall:
    inspection, analysis, outline = rows.inspection, rows.analysis, rows.outline
    assert analysis is not None, "what is stored now was read now"
    capture = inspection.capture
    start, end, clock = _times(capture, inspection)
    first = inspection.first_token_us
    texts = list(_texts(analysis))
    return StoredCall(
        facts=_facts(capture, inspection, analysis, outline),
        start_us=start,
        end_us=end,
        answer_us=None if first is None else start + first,
        clock=clock,
        head=chain_of(outline.digests[: outline.head * DIGEST_BYTES]) if outline else None,
        previous=outline.previous_response if outline else "",
        answer=_digest_of(texts),
        characters=sum(map(len, texts)),
        reads=analysis.timeline.counts.reads,
        body=capture.sha256[:16] if capture.byte_length else "",
        route=f"{capture.key_id or ''} {capture.upstream or ''} {analysis.measured_by}",
        has_failed=inspection.verdict in FAILED or inspection.result == Result.ERROR,
        retry_of=str(capture.retry_of) if capture.retry_of else None,
        calls=tuple(_answer_calls(analysis))[:MAX_CALLS],
        results=outline.results if outline else (),
        sizes=dict(outline.sizes) if outline else {},
        items=len(outline.items) if outline else None,
    )


def _facts(
    capture: Capture, inspection: Inspection, analysis: Analysis, outline: PromptOutline | None
) -> CallFacts:
    usage = analysis.usage
    tier = analysis.service_tier.used if analysis.service_tier else None
    return CallFacts(
        vendor=inspection.vendor,
        model=inspection.named_model,
        upstream=capture.upstream,
        tier=tier if isinstance(tier, str) else None,
        fingerprint=inspection.system_fingerprint,
        prompt_tokens=_count(usage.prompt_tokens),
        cached_tokens=_first(usage.cached_tokens, usage.prompt_cache_hit_tokens),
        written_tokens=_first(
            usage.cache_write_tokens, usage.cache_write_1h_tokens, usage.cache_write_5m_tokens
        ),
        marks=outline.marks if outline else CacheMarks(),
    )


def _first(*counts: Any) -> int | None:
    return next((found for each in counts if (found := _count(each)) is not None), None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**53 else None


def _times(capture: Capture, inspection: Inspection) -> tuple[int, int, str]:
    """Start and end. Where no start counts the capture ended as it came."""
    duration = max(inspection.duration_us or 0, 0)
    at = microseconds(capture.called_at)
    if capture.started_at == capture.called_at:
        return at, at + duration, "started"
    return at - duration, at, "arrived"


def microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // _MICROSECOND


def _texts(analysis: Analysis) -> Iterator[str]:
    for choice in analysis.choices:
        yield from (text for text in (choice.content, choice.reasoning) if isinstance(text, str))
        yield from (call.arguments_text for call in choice.tool_calls)


def _digest_of(texts: list[str]) -> int | None:
    joined = "\0".join(texts)
    if not joined.strip("\0"):
        return None
    digest = sha256(joined.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:DIGEST_BYTES], signed=True)


def _answer_calls(analysis: Analysis) -> Iterator[AnswerCall]:
    for choice in analysis.choices:
        for call in choice.tool_calls:
            yield AnswerCall(_name(call.id), _name(call.name))


def _name(value: Any) -> str:
    return storable(value[:NAME_CHARACTERS]) if known(value) and isinstance(value, str) else ""


# -- stored ----------------------------------------------------------------------------------------


def call_of(row: Turn) -> Call:
    stored = stored_call(row)
    return Call(
        id=row.capture_id,
        called_us=microseconds(row.called_at),
        start_us=stored.start_us,
        end_us=stored.end_us,
        answer_us=stored.answer_us,
        conversation=bytes(row.digests or b""),
        head=stored.head,
        response=row.response_id,
        previous=stored.previous,
        answer=stored.answer,
        body=stored.body,
        route=stored.route,
        has_failed=stored.has_failed,
        retry_of=UUID(stored.retry_of) if stored.retry_of else None,
    )


def stored_call(row: Turn) -> StoredCall:
    return _call_decoder.decode(bytes(row.call))


def outline_of(row: Turn) -> PromptOutline | None:
    return _outline_decoder.decode(decompressed(row.outline)) if row.outline else None


def changes_of(row: Turn) -> PromptChanges | None:
    return _changes_decoder.decode(decompressed(row.changes)) if row.changes else None


def pack_changes(changes: PromptChanges | None) -> bytes | None:
    return _packed(changes) if changes else None


def _packed(value: msgspec.Struct) -> bytes:
    return compressed(encoded(value))


def encoded(value: msgspec.Struct) -> bytes:
    """As MessagePack. Half of a surrogate pair, which no UTF-8 has, becomes a visible escape."""
    try:
        return msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, builtin_types=(bytes,))
        return msgspec.msgpack.encode(clean_json(plain, MAX_TEXT_CHARACTERS))
