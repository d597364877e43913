"""The only access to sessions outside this app: ``for_principal`` returns those a principal may
see. Nothing reads what was sent: all that is shown was stored with the inspection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum

from inspector.archive.listing.cursor import Cursor, Order
from inspector.core.request.cache_miss import MissCause
from inspector.core.request.changes import PromptChanges
from inspector.core.request.outline import PromptOutline, Section
from inspector.sessions.models import Grouping, Session, Turn
from inspector.sessions.placing import ORDER
from inspector.sessions.turn_rows import (
    EPOCH,
    AnswerCall,
    StoredCall,
    changes_of,
    outline_of,
    stored_call,
)
from inspector.teams.access import READ, Principal
from inspector.usage.rollup.queries import ComputedCost, TeamSums

PAGE_ROWS = 50
MAX_PAGE_ROWS = 200
PAGE_TURNS = 500
"""Turns of one page of a session: agents make thousands of calls in one."""
LIST_ORDER = Order("last_at", "id")

_OF_INSPECTION = (
    "verdict", "result", "named_model", "finish_reasons", "first_byte_us", "first_reasoning_us",
    "first_token_us", "duration_us", "prompt_tokens", "completion_tokens", "cached_tokens",
    "error_count", "warning_count", "prompt_line", "answer_line",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Money:
    """``ticks`` of the captures whose cost is known; ``unknown`` others. None where none is."""

    ticks: int | None = None
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class SessionRow:
    """``value``, None of an inferred session, and ``first_line``, that of its first prompt, are
    untrusted text. ``turns`` counts all captures.
    """

    id: UUID
    grouping: Grouping
    value: str | None
    first_at: datetime
    last_at: datetime
    turns: int
    lanes: int
    duration_us: int
    """From the start of the first call to the end of the last."""
    cost: Money = Money()
    errors: int = 0
    """Captures with a finding of that severity."""
    warnings: int = 0
    missed: int = 0
    """Captures that missed the cache without need."""
    missed_ticks: int | None = None
    """Their cost, as far as it is known."""
    first_line: str | None = None


@dataclass(frozen=True, slots=True)
class SessionList:
    """The latest first; ``older`` is the cursor of the next page."""

    rows: tuple[SessionRow, ...]
    older: str | None


@dataclass(frozen=True, slots=True)
class Miss:
    """``ticks`` is what it cost, None where that is not known."""

    cause: MissCause
    is_due: bool
    section: Section | None
    tokens: int
    ticks: int | None


class PromptShare(NamedTuple):
    """A part of a prompt. ``tokens`` are derived: the prompt's, apportioned by bytes."""

    section: Section
    bytes: int
    characters: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A capture of a session. ``number`` counts calls from 1; names and lines are untrusted."""

    id: UUID
    number: int
    called_at: datetime
    lane: int
    parent: UUID | None
    bond: str | None
    attempt_of: UUID | None
    hop_of: UUID | None
    call: StoredCall
    changes: PromptChanges | None
    miss: Miss | None
    verdict: str
    result: str
    model: str | None
    finish_reasons: tuple[str, ...]
    first_byte_us: int | None
    first_reasoning_us: int | None
    first_token_us: int | None
    duration_us: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    error_count: int
    warning_count: int
    prompt_line: str | None
    answer_line: str | None
    byte_length: int
    cost_ticks: int | None

    @property
    def started_at(self) -> datetime:
        return EPOCH + timedelta(microseconds=self.call.start_us)

    @property
    def fill(self) -> tuple[PromptShare, ...]:
        """The sections that fill the prompt, the largest first."""
        sizes = sorted(self.call.sizes.items(), key=lambda each: -each[1].bytes)
        whole, tokens = sum(size.bytes for _, size in sizes), self.prompt_tokens
        return tuple(
            PromptShare(
                section,
                size.bytes,
                size.characters,
                None if tokens is None else tokens * size.bytes // whole,
            )
            for section, size in sizes
        )


@dataclass(frozen=True, slots=True)
class SessionPage:
    """``turns`` are those from number ``first`` on, at most ``PAGE_TURNS``."""

    row: SessionRow
    team_slug: str
    first: int
    turns: tuple[TurnRow, ...]
    results: Mapping[tuple[int, str], UUID] = field(default_factory=dict)
    """By lane and id of a call, the first capture here whose prompt has its result."""

    def result_of(self, turn: TurnRow, call: AnswerCall) -> UUID | None:
        return self.results.get((turn.lane, call.id)) if call.id else None


class CauseSum(NamedTuple):
    captures: int = 0
    tokens: int = 0
    ticks: int = 0
    unknown: int = 0
    """Captures whose cost is not known."""


@dataclass(frozen=True, slots=True)
class MissedCache:
    """Missed caches of a period by cause; of prompts that changed, by where they depart."""

    causes: Mapping[str, CauseSum] = field(default_factory=dict)
    sections: Mapping[str, CauseSum] = field(default_factory=dict)


def for_principal(principal: Principal) -> Sessions:
    return Sessions(tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions that one principal may see; one of another team is treated as missing."""

    team_ids: tuple[int, ...]

    def page(self, before: str | None = None, limit: int = PAGE_ROWS) -> SessionList:
        """Lone captures that state no session are left out. Raises ``BadCursor``."""
        limit = max(1, min(limit, MAX_PAGE_ROWS))
        rows = self._visible().filter(is_listed=True)
        if before is not None:
            rows = rows.filter(Cursor.parse(before).older(LIST_ORDER))
        found = list(rows.order_by(*LIST_ORDER.newest_first)[: limit + 1])
        more = len(found) > limit
        older = str(Cursor(found[limit - 1].last_at, found[limit - 1].pk)) if more else None
        return SessionList(tuple(_rows(found[:limit])), older)

    def one(self, session_id: UUID, first: int = 1) -> SessionPage | None:
        """Return the session with its turns from a number on."""
        session = self._visible().select_related("team").filter(pk=session_id).first()
        if session is None:
            return None
        turns = Turn.objects.filter(session=session).order_by(*ORDER.oldest_first)
        first = max(1, min(first, session.turns))
        rows = list(_shown(turns)[first - 1 : first - 1 + PAGE_TURNS])
        costs = TeamSums(self.team_ids).costs([row.pk for row in rows])
        shown = tuple(
            _turn_row(row, number, _ticks(costs.get(row.pk)))
            for number, row in enumerate(rows, first)
        )
        row = next(iter(_rows([session])))
        return SessionPage(row, session.team.slug, first, shown, _results(shown))

    def of_capture(self, capture_id: UUID) -> tuple[str, UUID, int] | None:
        """Return the team's slug, the session of a capture, and its number there."""
        turn = Turn.objects.filter(pk=capture_id, team__in=self.team_ids).first()
        if turn is None:
            return None
        here = Cursor(turn.called_at, turn.capture_id)
        before = Turn.objects.filter(here.older(ORDER), session=turn.session_id).count()
        return turn.team.slug, turn.session_id, before + 1

    def outline(self, session_id: UUID, capture_id: UUID) -> PromptOutline | None:
        """Return the outline of a turn's prompt; None without a request, or without its body."""
        rows = Turn.objects.filter(pk=capture_id, session=session_id, team__in=self.team_ids)
        turn = rows.first()
        return outline_of(turn) if turn else None

    def missed(self, since: datetime, until: datetime) -> MissedCache:
        """``until`` is exclusive."""
        rows = Turn.objects.filter(
            team__in=self.team_ids, called_at__gte=since, called_at__lt=until
        )
        counted = rows.filter(cause__isnull=False).order_by().values_list("cause", "section")
        sums = counted.annotate(
            captures=Count("pk"),
            tokens=Sum("missed_tokens"),
            ticks=Sum("missed_ticks"),
            unknown=Count("pk", filter=Q(missed_ticks__isnull=True)),
        )
        causes: dict[str, CauseSum] = defaultdict(CauseSum)
        sections: dict[str, CauseSum] = {}
        for cause, section, *counts in sums:
            found = CauseSum(*(int(each or 0) for each in counts))
            causes[cause] = CauseSum(*map(sum, zip(causes[cause], found, strict=True)))
            if section:
                sections[section] = found
        return MissedCache(dict(causes), sections)

    def _visible(self) -> QuerySet[Session]:
        turns = Turn.objects.filter(session=OuterRef("pk")).order_by(*ORDER.oldest_first)
        line = Subquery(turns.values("capture__inspection__prompt_line")[:1])
        return Session.objects.filter(team__in=self.team_ids).annotate(first_line=line)


def _shown(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    of_inspection = {f"its_{name}": F(f"capture__inspection__{name}") for name in _OF_INSPECTION}
    return turns.defer("outline", "digests").annotate(
        its_byte_length=F("capture__byte_length"), **of_inspection
    )


def _turn_row(row: Turn, number: int, cost_ticks: int | None) -> TurnRow:
    its = {name: getattr(row, f"its_{name}") for name in ("byte_length", *_OF_INSPECTION)}
    reasons = tuple(its.pop("finish_reasons") or ())
    return TurnRow(
        id=row.capture_id,
        number=number,
        called_at=row.called_at,
        lane=row.lane or 0,
        parent=row.parent,
        bond=row.bond,
        attempt_of=row.attempt_of,
        hop_of=row.hop_of,
        call=stored_call(row),
        changes=changes_of(row),
        miss=_miss_of(row),
        model=its.pop("named_model"),
        finish_reasons=reasons,
        cost_ticks=cost_ticks,
        **its,
    )


def _results(turns: Iterable[TurnRow]) -> dict[tuple[int, str], UUID]:
    found: dict[tuple[int, str], UUID] = {}
    for turn in turns:
        for each in turn.call.results:
            found.setdefault((turn.lane, each), turn.id)
    return found


def _miss_of(row: Turn) -> Miss | None:
    if row.cause is None:
        return None
    section = Section(row.section) if row.section else None
    cause = MissCause(row.cause)
    return Miss(cause, row.is_due, section, row.missed_tokens or 0, row.missed_ticks)


def _ticks(cost: ComputedCost | None) -> int | None:
    return cost.listed_ticks if cost else None


def _rows(sessions: Collection[Session]) -> Iterable[SessionRow]:
    """With sums over all turns, by one statement; an answer captured twice counts once."""
    turns = Turn.objects.filter(session__in=[each.pk for each in sessions]).order_by()
    of, ticks = "capture__inspection__", "capture__price__listed_ticks"
    paid, needless = Q(hop_of__isnull=True), Q(cause__isnull=False, is_due=False)
    counted = turns.values("session").annotate(
        start=Min("start_us"),
        end=Max("end_us"),
        errors=Count("pk", filter=Q(**{f"{of}error_count__gt": 0})),
        warnings=Count("pk", filter=Q(**{f"{of}warning_count__gt": 0})),
        missed=Count("pk", filter=needless),
        missed_ticks=Sum("missed_ticks", filter=needless),
        ticks=Sum(ticks, filter=paid),
        unknown=Count("pk", filter=paid & Q((f"{ticks}__isnull", True))),
    )
    counts = {row["session"]: row for row in counted}
    return (_row(each, counts.get(each.pk, {})) for each in sessions)


def _row(session: Any, counts: Mapping[str, Any]) -> SessionRow:
    ticks = counts.get("ticks")
    return SessionRow(
        id=session.pk,
        grouping=Grouping(session.grouping),
        value=session.value,
        first_at=session.first_at,
        last_at=session.last_at,
        turns=session.turns,
        lanes=session.lanes,
        duration_us=counts["end"] - counts["start"] if counts else 0,
        cost=Money(None if ticks is None else int(ticks), counts.get("unknown", 0)),
        errors=counts.get("errors", 0),
        warnings=counts.get("warnings", 0),
        missed=counts.get("missed", 0),
        missed_ticks=counts.get("missed_ticks"),
        first_line=session.first_line,
    )
