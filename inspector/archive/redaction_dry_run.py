"""Passages that rules would overwrite in stored captures of a query. Nothing is changed by it."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from uuid import UUID

import msgspec

from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.member_types import Count
from inspector.archive.models import Capture, State
from inspector.archive.queries import Captures
from inspector.archive.readers.on_demand import Asker, charge_read_bytes, size_of
from inspector.archive.redaction import rule_set
from inspector.archive.storage import evidence
from inspector.core.redaction.body_masking import MaskedBody
from inspector.core.redaction.decoded_text import decoded
from inspector.core.redaction.exchange_redaction import (
    decompressed_reads,
    masked_bodies,
    redact_exchange,
)
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskRule
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import StatementTimeout, time_limit
from inspector.teams.access import DELETE, READ, Principal

MAX_CAPTURES = 500
"""The newest: what a rule hits, hits them too."""
AT_ONCE = 20
"""Loaded by one query; the time is looked at between."""
SECONDS = 4.0
"""Somebody waits for the page; it says how many captures were looked at."""
MAX_HITS = 100
"""Enough to see what a rule means; further ones are counted."""
HIT_CHARACTERS = 200
"""A rule may mean a whole text."""
MAX_BYTES = 4 << 20
"""Bytes of both bodies together, decompressed: for larger ones nobody can wait."""


class DryRunHit(msgspec.Struct, frozen=True):
    capture: UUID
    rule: int
    is_request: bool
    byte: Count
    """Where it begins, in the decompressed body."""
    text: str


@dataclass(slots=True)
class DryRun:
    """``hits`` are the first of those in bodies; ``places`` counts all, by rule."""

    hits: list[DryRunHit] = field(default_factory=list)
    places: Counter[int] = field(default_factory=Counter)
    looked_at: int = 0
    captures: int = 0
    """Captures that have a hit, of those looked at."""
    too_large: int = 0
    is_all: bool = False
    """False where more captures match than were looked at."""


def dry_run(
    principal: Principal, rules: Sequence[MaskRule], conditions: FilterParams
) -> DryRun | None:
    """Search the newest captures of the query, as many as somebody can wait for. None where
    the principal may not read or not delete the captures of its one team. Raises ``ReadingError``
    where they had more read for them than they may.
    """
    team_ids = set(principal.team_ids(DELETE)) & set(principal.team_ids(READ))
    if len(team_ids) != 1 or conditions.mistakes:
        return None
    found = DryRun()
    with suppress(StatementTimeout):
        found.is_all = _looked_at_all(
            found, Captures(tuple(team_ids)), conditions, rule_set(tuple(rules)), principal.asker
        )
    return found


def _looked_at_all(
    found: DryRun, visible: Captures, conditions: FilterParams, rules: RuleSet, asker: Asker
) -> bool:
    """Return False where time or number ended it. ``StatementTimeout``: the query alone took it."""
    cursor, end = None, time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0 and found.looked_at < MAX_CAPTURES:
        with time_limit(ceil(left * 1000)):
            ids, cursor = visible.ids_before(cursor, AT_ONCE, conditions.filters)
        if not ids:
            return True
        for capture in _with_evidence(ids):
            if time.monotonic() >= end:
                return False
            _look_at(found, capture, rules, asker)
    return False


def _with_evidence(ids: tuple[UUID, ...]) -> list[Capture]:
    rows = Capture.objects.filter(pk__in=ids).exclude(state=State.RECORDING)
    there = rows.filter(evidence__isnull=False, evidence_form__lte=evidence.FORM)
    return sorted(there.select_related("evidence"), key=lambda row: ids.index(row.pk))


def _look_at(found: DryRun, capture: Capture, rules: RuleSet, asker: Asker) -> None:
    found.looked_at += 1
    exchange = evidence.unpack(capture, capture.evidence)
    size = size_of(exchange)
    if size > MAX_BYTES:
        found.too_large += 1
        return
    charge_read_bytes(asker, size)
    whole = redact_exchange(exchange, capture.metadata, rules, lambda digest: digest)
    if whole.redaction is None:
        return
    found.captures += 1
    found.places.update({each.id: each.places for each in whole.redaction.rules})
    if len(found.hits) < MAX_HITS:
        found.hits += list(_hits(capture.pk, exchange, rules))[: MAX_HITS - len(found.hits)]


def _hits(capture_id: UUID, exchange: Exchange, rules: RuleSet) -> Iterator[DryRunHit]:
    masked = masked_bodies(exchange, rules)
    if masked.request is not None and exchange.request is not None:
        sent = exchange.request.body or b""
        yield from _hits_of(capture_id, sent, masked.request, is_request=True)
    reads, _ = decompressed_reads(exchange)
    body = b"".join(read.data for read in reads)
    yield from _hits_of(capture_id, body, masked.response, is_request=False)


def _hits_of(
    capture_id: UUID, body: bytes, masked: MaskedBody, *, is_request: bool
) -> Iterator[DryRunHit]:
    for passage in masked.passages:
        spelt = b"".join(body[start:end] for start, end in passage.ranges)
        text = decoded(spelt[: 6 * HIT_CHARACTERS])[:HIT_CHARACTERS]
        yield DryRunHit(capture_id, passage.rule, is_request, passage.ranges[0][0], text)
