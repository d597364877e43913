"""The chains of the audit log. The sweep seals entries in the order in which it finds them: each
gets the next number of its chain, and a SHA-256 over its content and the hash before it. So an
entry that is changed, taken out or put between others shows, unless all behind it are made anew;
that shows to whoever noted the last number and hash before.

Sealing apart from the acts keeps these from waiting for each other: a chain is locked for the
sealing alone, never for a transaction that deletes captures. Each team has a chain, or its export
could only be checked with entries of others. A keyed hash would not help: who can write to the
database mostly reads the key beside it. In the seconds before it is sealed, an entry can be taken
away unseen; entries are forgotten from the beginning of a chain only.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.db import connection, transaction
from django.db.models import Min, QuerySet
from django.utils import timezone

from inspector.teams.models import AUDIT_DAYS, FAILED_SIGN_IN, AuditChain, AuditEntry, Team

SEALED_AT_ONCE = 500
"""In one transaction, with the row of their chain locked."""
FORGOTTEN_AT_ONCE = 500
"""As above: meanwhile nothing of the chain is sealed, and on SQLite nobody writes."""
# Failed sign-ins kept: anybody can cause them, from many addresses.
MAX_FAILED = 10_000
FORM = 1
"""The form of what is hashed; a part of it."""

# A statement a row: one for all of them would need a case for each.
_SEAL = """
    UPDATE teams_auditentry
    SET chain = %s, number = %s, previous_sha256 = %s, sha256 = %s
    WHERE id = %s
"""


class ChainFault(StrEnum):
    """The fault at the first broken place of a chain."""

    CHANGED = "its content or hash was changed"
    MISSING = "it is missing"
    NOT_LINKED = "it does not follow from the entry before it"
    MISPLACED = "it belongs to another chain"
    UNEXPECTED = "no such number was given in this chain"
    OTHER_HEAD = "it is another entry than the one that was noted as the end"


@dataclass(frozen=True, slots=True)
class NotedHead:
    """The end of a chain as somebody noted it earlier."""

    chain: str
    number: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ChainBreak:
    """The first broken place. ``entry`` is None where there is no entry of this number."""

    number: int
    fault: ChainFault
    entry: AuditEntry | None = None


@dataclass(frozen=True, slots=True)
class ChainReport:
    """A checked chain: ``count`` sealed entries up to ``head`` (None where none is left)."""

    chain: str
    count: int
    head: NotedHead | None
    broken: ChainBreak | None = None


def chain_of(entry: AuditEntry) -> str:
    """Failed sign-ins have chains of their own, forgotten from their beginning alone."""
    whose = "no team" if entry.team_id is None else f"team {entry.team_id}"
    return f"{whose}, failed sign-ins" if entry.act == FAILED_SIGN_IN else whose


def hash_of_entry(entry: AuditEntry, chain: str, number: int, previous: str) -> str:
    """SHA-256 in hex over compact JSON: ASCII alone, the time in UTC with six digits."""
    at = time_of(entry)
    content = [FORM, chain, number, at, entry.by, entry.act, entry.on, entry.network, previous]
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def time_of(entry: AuditEntry) -> str:
    return entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seal() -> None:
    """Seal all that is not sealed yet."""
    waiting = unsealed().order_by("pk")[:SEALED_AT_ONCE]
    while found := list(waiting.all()):
        chains: dict[str, list[int]] = defaultdict(list)
        for entry in found:
            chains[chain_of(entry)].append(entry.pk)
        for chain, entry_ids in sorted(chains.items()):
            _seal_chain(chain, entry_ids)


def unsealed() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(number=None)


def count_unsealed() -> int:
    return unsealed().count()


def _seal_chain(name: str, entry_ids: list[int]) -> None:
    with transaction.atomic():
        AuditChain.objects.get_or_create(name=name)
        # Two sweeps would give two entries one number.
        chain = AuditChain.objects.select_for_update().get(pk=name)
        # Asked again behind the lock: another sweep may have sealed them meanwhile.
        found = AuditEntry.objects.filter(pk__in=entry_ids, number=None).order_by("pk")
        sealed = list(_linked(chain, found))
        with connection.cursor() as cursor:
            cursor.executemany(_SEAL, [_columns(entry) for entry in sealed])
        chain.save(update_fields=["last", "last_sha256"])


def _columns(entry: AuditEntry) -> tuple[str | int | None, ...]:
    return entry.chain, entry.number, entry.previous_sha256, entry.sha256, entry.pk


def _linked(chain: AuditChain, entries: Iterable[AuditEntry]) -> Iterator[AuditEntry]:
    for entry in entries:
        number, previous = chain.last + 1, chain.last_sha256
        entry.chain, entry.number, entry.previous_sha256 = chain.name, number, previous
        entry.sha256 = hash_of_entry(entry, chain.name, number, previous)
        chain.last, chain.last_sha256 = number, entry.sha256
        yield entry


def verify(noted: Iterable[NotedHead] = ()) -> tuple[ChainReport, ...]:
    """Check chains to their first broken place. ``noted``: earlier ends, there or forgotten."""
    heads: dict[str, list[NotedHead]] = defaultdict(list)
    for head in noted:
        heads[head.chain].append(head)
    names = {*heads, *AuditChain.objects.values_list("pk", flat=True), *_chains_of_entries()}
    return tuple(_verify_chain(name, heads[name]) for name in sorted(names))


def _chains_of_entries() -> Iterator[str]:
    """Chains by their entries, in case somebody took the rows of the chains away."""
    found = AuditEntry.objects.filter(number__isnull=False).order_by()
    yield from (name for name in found.values_list("chain", flat=True).distinct() if name)


def _verify_chain(name: str, noted: list[NotedHead]) -> ChainReport:
    while True:
        # Read before the entries: what is sealed meanwhile lies behind its end.
        chain = AuditChain.objects.filter(pk=name).first() or AuditChain(name=name)
        report = _checked(chain, noted)
        # What was forgotten meanwhile is no damage.
        if report.broken is None or not _has_begun_later(chain):
            return report


def _has_begun_later(chain: AuditChain) -> bool:
    return AuditChain.objects.filter(pk=chain.name, first__gt=chain.first).exists()


def _checked(chain: AuditChain, noted: list[NotedHead]) -> ChainReport:
    known = {head.number: head.sha256 for head in noted if head.number >= chain.first}
    expected = chain.first
    # Of the oldest one that is kept nobody knows any more what it followed.
    before = None if chain.first > 1 else ""
    between = _sealed(chain.name).filter(number__range=(chain.first, chain.last))
    for entry in between.order_by("number").iterator(SEALED_AT_ONCE):
        if fault := _fault(entry, chain.name, expected, before, known.pop(expected, None)):
            missing = fault is ChainFault.MISSING
            return _report(chain, expected, ChainBreak(expected, fault, None if missing else entry))
        expected, before = expected + 1, entry.sha256
    return _report(chain, expected, _broken_end(chain, expected, before, min(known, default=None)))


def _fault(
    entry: AuditEntry, chain: str, expected: int, before: str | None, noted: str | None
) -> ChainFault | None:
    if entry.number != expected:
        return ChainFault.MISSING
    if chain_of(entry) != chain:
        return ChainFault.MISPLACED
    previous = entry.previous_sha256 or ""
    if before is not None and previous != before:
        return ChainFault.NOT_LINKED
    if entry.sha256 != hash_of_entry(entry, chain, expected, previous):
        return ChainFault.CHANGED
    return ChainFault.OTHER_HEAD if noted not in (None, entry.sha256) else None


def _broken_end(
    chain: AuditChain, expected: int, before: str | None, noted: int | None
) -> ChainBreak | None:
    if expected <= chain.last or noted is not None:
        return ChainBreak(expected, ChainFault.MISSING)
    if expected > chain.first and before != chain.last_sha256:
        return ChainBreak(chain.last, ChainFault.OTHER_HEAD)
    # What is sealed or forgotten meanwhile moves the ends, which are therefore asked now.
    now = AuditChain.objects.filter(pk=chain.name).first() or chain
    outside = _sealed(chain.name).exclude(number__range=(chain.first, max(chain.last, now.last)))
    odd = outside.order_by("number").first()
    return ChainBreak(odd.number or 0, ChainFault.UNEXPECTED, odd) if odd else None


def _report(chain: AuditChain, expected: int, broken: ChainBreak | None) -> ChainReport:
    head = NotedHead(chain.name, chain.last, chain.last_sha256) if chain.last else None
    return ChainReport(chain.name, expected - chain.first, head, broken)


def _sealed(name: str) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(chain=name, number__isnull=False)


def forget_old() -> None:
    """Delete what is older than its team keeps, and all but the newest failed sign-ins; of each
    chain only from its beginning. What is not sealed yet stays until it is.
    """
    newest = AuditEntry.objects.filter(act=FAILED_SIGN_IN).order_by("-pk")
    beyond = newest.values_list("pk", flat=True)[MAX_FAILED : MAX_FAILED + 1].first() or 0
    days = {f"team {team}": kept for team, kept in Team.objects.values_list("pk", "audit_days")}
    for name in AuditChain.objects.order_by("pk").values_list("pk", flat=True):
        kept = timedelta(days=days.get(name.partition(",")[0], AUDIT_DAYS))
        is_failures = name.endswith(", failed sign-ins")
        _forget(name, timezone.now() - kept, beyond if is_failures else 0)


def _forget(name: str, until: datetime, beyond: int) -> None:
    # By the first that is kept, not by each one's age: clocks of hosts differ, and a gap in a chain
    # could not be told from damage.
    young = _sealed(name).filter(at__gte=until, pk__gt=beyond)
    while True:
        with transaction.atomic():
            # Sealing moves ``last``, and another sweep may forget the same entries.
            chain = AuditChain.objects.select_for_update().get(pk=name)
            first_kept = young.aggregate(first=Min("number"))["first"] or chain.last + 1
            behind = min(first_kept, chain.first + FORGOTTEN_AT_ONCE)
            if behind <= chain.first:
                return
            _sealed(name).filter(number__lt=behind).delete()
            AuditChain.objects.filter(pk=name).update(first=behind)
