"""Claims captures for inspection, under leases. Attempts are counted before the work, so that a
payload that kills its process is counted too; leases end by the database's clock.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import zip_longest
from math import ceil
from random import sample
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Now
from django.db.models.lookups import IsNull

from inspector.archive.inspection import slow_readings
from inspector.archive.inspection.slow_readings import Sender
from inspector.archive.models import PENDING, Capture, Evidence, State
from inspector.archive.storage import evidence
from inspector.database import write_turn
from inspector.database.column_text import clean_text
from inspector.database.fixed_query import FixedQuery, FixedSearch, FixedUpdate, Given
from inspector.database.portability import literals, skip_locked
from inspector.teams import accounts
from inspector.teams.keys import keys_where

NO_WAIT = timedelta(0)
"""For whoever the doorbell told; the sweep leaves new rows to them for some seconds."""
REASON_CHARACTERS = 1_000
"""The message of an exception may quote the payload, of any length."""
# Senders served by one claim; the others are served by the next ones.
MAX_SENDERS = 32
PROCESS_ENDED_REASON = "the reader was stopped in each of {} attempts: killed, or out of time"


@dataclass(frozen=True, slots=True)
class Lease:
    """Reserves a capture for its sender as soon as it is stored: who waits for the inspection."""

    token: UUID = field(default_factory=uuid4)

    def begin(self, capture: Capture) -> None:
        capture.state = State.PROCESSING
        capture.attempt = 1
        capture.lease_token = self.token

    def capture(self) -> Capture | None:
        return _leased(self.token).first()


class Due(NamedTuple):
    """Which captures wait."""

    quick: bool
    late: bool
    """Some of them for longer than the caller likes."""
    slow: bool
    """Some that are read one at a time; perhaps one of these is being read."""
    of_slow_teams: bool
    """There may be some of teams of which something took long within the last minute."""


def due(older_than: timedelta = NO_WAIT, late_after: timedelta = NO_WAIT) -> Due:
    """Look, by one statement and without the lock that writers need."""
    return Due(*_DUE.each(older_than, late_after, evidence.FORM))


def claim(older_than: timedelta = NO_WAIT, *, of_slow_teams: bool = True) -> list[Capture]:
    """Rows that are this caller's until the lease ends, with evidence; none takes long as known.
    ``of_slow_teams`` is as ``due`` told it.
    """
    return _claimed(partial(_in_turn, older_than, of_slow_teams=of_slow_teams))


def claim_slow(older_than: timedelta = NO_WAIT) -> list[Capture]:
    """Return the same for one capture whose reading takes long, or ended its process; none while
    another one is read anywhere.
    """
    return _claimed(partial(_one_slow, older_than)) if slow_readings.may_begin() else []


def any_due(older_than: timedelta = NO_WAIT) -> bool:
    """Tell whether ``claim`` would find something."""
    return due(older_than).quick


def quick_due(older_than: timedelta = NO_WAIT, form: int | None = None) -> QuerySet[Capture]:
    return slow_readings.quick_ones(_due(older_than, form))


def _which_wait(
    older_than: timedelta, late_after: timedelta, form: int
) -> Iterator[QuerySet[Any, Any]]:
    yield quick_due(older_than, form)
    yield quick_due(older_than + late_after, form)
    yield slow_readings.pending()
    yield slow_readings.counted()


def others_wait(than: Collection[Capture]) -> bool:
    """Tell whether captures of teams that have none of these are due."""
    # One index lookup for each team: the number of captures that wait does not matter.
    waiting = accounts.team_ids_where(_any(quick_due(), team=OuterRef("pk")))
    return bool(set(waiting) - {capture.team_id for capture in than})


def fail_attempt(capture: Capture, reason: str) -> None:
    """Return a capture after a failed attempt: due after a wait, or quarantined after the last."""
    if capture.attempt >= settings.MAX_ATTEMPTS:
        _claimed_rows(capture).update(
            state=State.QUARANTINED,
            quarantine_reason=clean_text(reason, REASON_CHARACTERS),
            lease_token=None,
        )
        return
    wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[capture.attempt - 1])
    _claimed_rows(capture).update(state=State.RECEIVED, due_at=Now() + wait, lease_token=None)


def postpone(capture: Capture) -> None:
    """Return a capture after an attempt that failed by no fault of its own, and is not counted."""
    wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[-1])
    _claimed_rows(capture).update(
        state=State.RECEIVED, due_at=Now() + wait, lease_token=None, attempt=F("attempt") - 1
    )


def give_back_untouched(captures: Sequence[Capture]) -> None:
    """Claimed and not begun: as if nothing had happened."""
    _claimed_rows(*captures).update(
        state=State.RECEIVED, due_at=F("received_at"), lease_token=None, attempt=F("attempt") - 1
    )


def finish(captures: Sequence[Capture]) -> Collection[UUID]:
    """Mark captures inspected whose lease the caller still holds, and returns their ids.

    Called first in the transaction that stores results. Rows are locked in the order of their ids,
    so that two transactions cannot deadlock.
    """
    # Compared by token: a caller whose lease ended and went to another process changes nothing.
    tokens = {capture.lease_token for capture in captures}
    ids = _HELD.column(ids=[capture.pk for capture in captures], tokens=tokens)
    if ids:
        _INSPECTED.send(ids=ids)
    return set(ids)


def _leased(token: UUID) -> QuerySet[Capture]:
    leased = Capture.objects.filter(lease_token=token, state=State.PROCESSING)
    return leased.select_related("evidence")


def _claimed_rows(*captures: Capture) -> QuerySet[Capture]:
    ids = [capture.pk for capture in captures]
    tokens = {capture.lease_token for capture in captures}
    return Capture.objects.filter(pk__in=ids, lease_token__in=tokens, state=State.PROCESSING)


def _due(older_than: timedelta, form: int | None = None) -> QuerySet[Capture]:
    # SQLite compares times as text, and what is taken off a whole second spells it without the
    # zeros behind it: that is before itself.
    now = Now() - older_than if older_than else Now()
    due = Capture.objects.filter(
        state__in=literals(PENDING), due_at__lte=now, evidence_form__lte=form or evidence.FORM
    )
    return due.order_by("due_at", "received_at")


def _claimed(choose: Callable[[], list[Capture]]) -> list[Capture]:
    write_turn.give_way()
    with transaction.atomic():
        chosen = choose()
        _lease(chosen, uuid4())
    return _with_evidence(chosen)


def _in_turn(older_than: timedelta, *, of_slow_teams: bool) -> list[Capture]:
    # Quick captures of all waiting senders, one of each team in turn.
    spent = slow_readings.spent() if of_slow_teams else {}
    senders = _senders(older_than, spent)
    if not senders:
        return []
    # Rows are locked sender by sender: one query over all would let the largest backlog fill it.
    each = ceil(settings.CLAIM_ROWS / len(senders))
    rows = [_due_of_sender(older_than, sender, each) for sender in senders]
    costly = sum(sender in spent for sender in senders)
    cheap = len(senders) - costly
    found = [*_alternating(rows[:cheap]), *_alternating(rows[cheap:])]
    slow_teams = {team for team, _ in spent}
    quick = [capture for capture in found if _may_be_quick(capture, slow_teams)]
    if len(quick) < len(found):
        slow_readings.note_untried([each for each in found if each not in quick])
        return _batch_of(quick) or _in_turn(older_than, of_slow_teams=of_slow_teams)
    return _batch_of(quick)


def _may_be_quick(capture: Capture, slow_teams: Collection[int]) -> bool:
    # Whatever was begun before and not finished may end its process again.
    is_slow = capture.team_id in slow_teams
    longest = settings.QUICKEST_BYTES if is_slow else settings.QUICK_BYTES
    return capture.attempt == 0 and capture.byte_length <= longest


def _one_slow(older_than: timedelta) -> list[Capture]:
    # One slow reading at a time in the whole installation, so that other processes stay free.
    if not slow_readings.take_turn():
        return []
    due, spent = slow_readings.slow_ones(_due(older_than)), slow_readings.spent()
    waiting = due.values_list("pk", "team", "key")
    for capture_id, _, _ in sorted(waiting, key=lambda one: spent.get((one[1], one[2]), 0)):
        # Locked rows are being claimed by another process: whoever waits for them finds them taken.
        found = list(skip_locked(_due(older_than).filter(pk=capture_id)))
        if left := _without_exhausted(found):
            return left
    return []


def _senders(older_than: timedelta, spent: Mapping[Sender, int]) -> list[Sender]:
    """Return the senders with due captures, in random order; behind the others those that took time
    for slow readings, the one that took most as the last. Costs one index lookup a sender, however
    many rows each has.
    """
    waiting = _WAITING_SENDERS.rows(older_than, evidence.FORM)
    found: list[Sender] = [(team, key) for team, key in waiting]
    # At random, so that with more senders than one claim serves nobody is always the last.
    served = sample(found, min(len(found), MAX_SENDERS))
    return sorted(served, key=lambda sender: spent.get(sender, 0))


def _any(due: QuerySet[Capture], **which: Any) -> Q:
    # A subquery for the first row: PostgreSQL turns a plain EXISTS into a join over all waiting
    # rows.
    first = due.filter(**which).order_by("due_at").values("due_at")[:1]
    return Q(IsNull(Subquery(first), False))


def _waiting_senders(older_than: timedelta, form: int) -> QuerySet[Any, Any]:
    rows = quick_due(older_than, form)
    keys = keys_where(_any(rows, team=OuterRef("team"), key=OuterRef("pk")))
    teams = accounts.team_ids_where(_any(rows, team=OuterRef("pk"), key=None))
    no_key = Value(None, BigIntegerField())
    return keys.order_by().union(teams.order_by().values_list("pk", no_key), all=True)


def _of_captures() -> QuerySet[Capture]:
    return Capture.objects.filter(pk__among=Given("ids"))


def _held() -> QuerySet[Capture, Any]:
    held = _of_captures().filter(lease_token__among=Given("tokens"), state=State.PROCESSING)
    return held.order_by("pk").select_for_update().values_list("pk")


def _of_sender(older_than: timedelta, form: int, has_key: bool) -> QuerySet[Capture]:
    of_key = Q(key=Given("key")) if has_key else Q(key=None)
    return skip_locked(quick_due(older_than, form).filter(of_key, team=Given("team")))


_DUE = FixedSearch(_which_wait)
_OF_SENDER = FixedQuery(_of_sender)
_WAITING_SENDERS = FixedQuery(_waiting_senders)
_HELD = FixedQuery(_held)
_INSPECTED = FixedUpdate(_of_captures, state=State.INSPECTED, lease_token=None)
_LEASED = FixedUpdate(
    _of_captures,
    state=State.PROCESSING,
    attempt=F("attempt") + 1,
    lease_token=Given("token"),
    # Due when the lease ends, so that the same query finds what a dead process left.
    due_at=Now() + timedelta(seconds=settings.LEASE_SECONDS),
)
_EVIDENCE = FixedQuery(lambda: Evidence.objects.filter(pk__among=Given("ids")))


def _due_of_sender(older_than: timedelta, sender: Sender, at_most: int) -> list[Capture]:
    team, key = sender
    which = older_than, evidence.FORM, key is not None
    return _OF_SENDER.instances(*which, at_most=at_most, team=team, key=key)


def _alternating(rows: Sequence[Sequence[Capture]]) -> Iterator[Capture]:
    """Alternate between teams, and within a team between keys."""
    by_team: dict[int, list[Capture]] = {}
    for capture in (each for row in zip_longest(*rows) for each in row if each is not None):
        by_team.setdefault(capture.team_id, []).append(capture)
    for turn in zip_longest(*by_team.values()):
        yield from (capture for capture in turn if capture is not None)


def _batch_of(quick: Sequence[Capture]) -> list[Capture]:
    """As many rows as are worth a lease, and always the first."""
    chosen: list[Capture] = []
    total = 0
    for capture in quick[: settings.CLAIM_ROWS]:
        total += capture.byte_length
        if chosen and total > settings.CLAIM_BYTES:
            break
        chosen.append(capture)
    return chosen


def _lease(chosen: list[Capture], token: UUID) -> None:
    if chosen:
        _LEASED.send(ids=[capture.pk for capture in chosen], token=token)
    for capture in chosen:
        capture.state = State.PROCESSING
        capture.attempt += 1
        capture.lease_token = token


def _with_evidence(chosen: list[Capture]) -> list[Capture]:
    # Captures deleted since the claim have no evidence any more.
    ids = [capture.pk for capture in chosen]
    found = {each.pk: each for each in _EVIDENCE.instances(ids=ids)} if ids else {}
    for capture in chosen:
        if capture.pk in found:
            capture.evidence = found[capture.pk]
    return [capture for capture in chosen if capture.pk in found]


def _without_exhausted(found: list[Capture]) -> list[Capture]:
    _quarantine_exhausted(found)
    return [capture for capture in found if capture.attempt < settings.MAX_ATTEMPTS]


def _quarantine_exhausted(found: list[Capture]) -> None:
    exhausted = [c.pk for c in found if c.attempt >= settings.MAX_ATTEMPTS]
    if exhausted:
        Capture.objects.filter(pk__in=exhausted).update(
            state=State.QUARANTINED,
            quarantine_reason=PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS),
            lease_token=None,
        )
