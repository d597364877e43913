"""The chains of the audit log: sealed in order, checked, forgotten from their beginning."""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from inspector.teams import audit, audit_chain
from inspector.teams.access import NOBODY
from inspector.teams.audit import Act
from inspector.teams.audit_chain import ChainFault, ChainReport, NotedHead, verify
from inspector.teams.models import AuditChain, AuditEntry, Team
from tests.people import Person


@pytest.fixture
def team(owner: Person) -> Team:
    AuditEntry.objects.all().delete()
    return owner.team


def act(team: Team, *sites: str) -> None:
    for site in sites:
        audit.note(NOBODY, team.pk, Act.SITE_LISTED, site)


def chain_of_team(team: Team, *noted: NotedHead) -> ChainReport:
    return next(report for report in verify(noted) if report.chain == f"team {team.pk}")


def entry(site: str) -> AuditEntry:
    return AuditEntry.objects.get(on=site)


def test_entries_are_numbered_and_linked_in_the_order_of_sealing(team: Team) -> None:
    act(team, "a", "b")
    audit_chain.seal()
    act(team, "c")
    audit_chain.seal()
    a, b, c = (entry(site) for site in "abc")
    assert [a.number, b.number, c.number] == [1, 2, 3]
    assert (a.previous_sha256, b.previous_sha256, c.previous_sha256) == ("", a.sha256, b.sha256)
    assert chain_of_team(team) == ChainReport(
        f"team {team.pk}", 3, NotedHead(f"team {team.pk}", 3, str(c.sha256))
    )


def test_the_hash_can_be_made_by_hand(team: Team) -> None:
    with time_machine.travel("2026-11-24T20:15:07.25Z", tick=False):
        act(team, "https://übung.example")
    audit_chain.seal()
    found = AuditEntry.objects.get()
    spelt = (
        f'[1,"team {team.pk}",1,"2026-11-24T20:15:07.250000Z","command","site_listed",'
        '"https://\\u00fcbung.example",null,""]'
    )
    assert json.loads(spelt)[6] == found.on
    assert found.sha256 == hashlib.sha256(spelt.encode()).hexdigest()


def test_teams_and_people_have_chains_of_their_own(owner: Person, stranger: Person) -> None:
    AuditEntry.objects.all().delete()
    act(owner.team, "a")
    act(stranger.team, "b")
    audit.note_failure("olga", "192.0.2.7")
    audit.note_failure("nobody of this name", "192.0.2.7")
    audit_chain.seal()
    assert {(report.chain, report.count) for report in verify()} == {
        (f"team {owner.team.pk}", 1),
        (f"team {stranger.team.pk}", 1),
        (f"team {owner.team.pk}, failed sign-ins", 1),
        ("no team, failed sign-ins", 1),
    }


def change(**columns: Any) -> Callable[[], None]:
    return lambda: changed(AuditEntry.objects.filter(on="c").update(**columns))


def changed(rows: int) -> None:
    assert rows == 1


def take_out(*sites: str) -> Callable[[], None]:
    return lambda: changed(AuditEntry.objects.filter(on__in=sites).delete()[0] // len(sites))


def make_anew() -> None:
    """Changes an entry and its hash, as somebody does who knows how."""
    third = entry("c")
    third.by = "user theo"
    third.sha256 = audit_chain.hash_of_entry(third, str(third.chain), 3, str(third.previous_sha256))
    third.save()


def swap(*columns: str) -> Callable[[], None]:
    """Exchanges columns of the second entry and the fourth."""

    def damage() -> None:
        second, fourth = (AuditEntry.objects.filter(on=site) for site in "bd")
        ours, theirs = (dict(rows.values(*columns)[0]) for rows in (second, fourth))
        ids = [rows.get().pk for rows in (second, fourth)]
        AuditEntry.objects.filter(pk=ids[0]).update(**dict.fromkeys({"number"} & ours.keys()))
        for pk, values in zip(reversed(ids), (ours, theirs), strict=True):
            AuditEntry.objects.filter(pk=pk).update(**values)

    return damage


@pytest.mark.parametrize(
    ("damage", "number", "fault"),
    [
        (swap("on"), 2, ChainFault.CHANGED),
        (swap("at"), 2, ChainFault.CHANGED),
        (swap("number"), 2, ChainFault.NOT_LINKED),
        (swap("number", "sha256"), 2, ChainFault.NOT_LINKED),
        (swap("number", "previous_sha256"), 2, ChainFault.CHANGED),
        (swap("number", "previous_sha256", "sha256"), 2, ChainFault.CHANGED),
        (change(by="user theo"), 3, ChainFault.CHANGED),
        (change(on="C"), 3, ChainFault.CHANGED),
        (change(network="192.0.2.7"), 3, ChainFault.CHANGED),
        (change(at=timezone.now()), 3, ChainFault.CHANGED),
        (change(sha256="0" * 64), 3, ChainFault.CHANGED),
        (change(previous_sha256="0" * 64), 3, ChainFault.NOT_LINKED),
        (change(act=Act.SIGN_IN_FAILED), 3, ChainFault.MISPLACED),
        (change(team=None), 3, ChainFault.MISPLACED),
        (change(number=None), 3, ChainFault.MISSING),
        (change(number=9), 3, ChainFault.MISSING),
        (make_anew, 4, ChainFault.NOT_LINKED),
        (take_out("c"), 3, ChainFault.MISSING),
        (take_out("a"), 1, ChainFault.MISSING),
        (take_out("e"), 5, ChainFault.MISSING),
        (take_out("d", "e"), 4, ChainFault.MISSING),
        (take_out("a", "b", "c", "d", "e"), 1, ChainFault.MISSING),
        (lambda: AuditChain.objects.all().delete(), 1, ChainFault.UNEXPECTED),
        (lambda: AuditChain.objects.update(last=4), 4, ChainFault.OTHER_HEAD),
        (lambda: AuditChain.objects.update(first=3), 1, ChainFault.UNEXPECTED),
        (lambda: AuditChain.objects.update(last=6), 6, ChainFault.MISSING),
    ],
)
def test_damage_is_told_by_its_first_entry(
    team: Team, damage: Callable[[], None], number: int, fault: ChainFault
) -> None:
    act(team, *"abcde")
    audit_chain.seal()
    assert chain_of_team(team).broken is None
    damage()
    broken = chain_of_team(team).broken
    assert broken is not None and (broken.number, broken.fault) == (number, fault)


def test_whoever_makes_all_of_it_anew_is_told_by_an_end_that_was_noted(team: Team) -> None:
    act(team, *"abc")
    audit_chain.seal()
    noted = chain_of_team(team).head
    assert noted is not None
    act(team, "d")
    audit_chain.seal()
    assert chain_of_team(team, noted).broken is None
    AuditChain.objects.all().delete()
    AuditEntry.objects.filter(on="b").delete()
    AuditEntry.objects.update(chain=None, number=None, previous_sha256=None, sha256=None)
    audit_chain.seal()
    assert chain_of_team(team).broken is None
    broken = chain_of_team(team, noted).broken
    assert broken is not None
    assert (broken.number, broken.fault) == (3, ChainFault.OTHER_HEAD)


@pytest.mark.parametrize("is_renamed", [False, True])
def test_another_teams_chain_is_told(team: Team, stranger: Person, is_renamed: bool) -> None:
    """Whole and unbroken, but not this team's."""
    act(team, "a", "b")
    act(stranger.team, "c", "d")
    audit_chain.seal()
    AuditEntry.objects.filter(team=team).delete()
    own, other = (AuditChain.objects.get(name=f"team {it.pk}") for it in (team, stranger.team))
    AuditChain.objects.filter(pk=own.pk).update(last_sha256=other.last_sha256)
    name = own.name if is_renamed else other.name
    AuditEntry.objects.filter(team=stranger.team).update(team=team, chain=name)
    reports = {report.chain: report.broken for report in verify()}
    broken = reports[f"team {team.pk}"]
    assert broken is not None and broken.number == 1
    assert broken.fault is (ChainFault.CHANGED if is_renamed else ChainFault.MISSING)


def test_a_noted_end_of_a_chain_that_is_gone_is_missing(team: Team) -> None:
    (report,) = verify([NotedHead("team 77", 4, "0" * 64)])
    assert report.broken is not None and report.broken.fault is ChainFault.MISSING


@pytest.mark.both_stacks
def test_forgetting_leaves_a_chain_that_holds(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_chain, "FORGOTTEN_AT_ONCE", 2)
    act(team, *"abcde")
    with time_machine.travel(timezone.now() + timedelta(days=100), tick=False):
        act(team, "f")
    audit_chain.seal()
    noted = chain_of_team(team).head
    assert noted is not None
    Team.objects.filter(pk=team.pk).update(audit_days=90)
    with time_machine.travel(timezone.now() + timedelta(days=101), tick=False):
        audit_chain.forget_old()
        assert chain_of_team(team, noted) == ChainReport(f"team {team.pk}", 1, noted)
    with time_machine.travel(timezone.now() + timedelta(days=400), tick=False):
        audit_chain.forget_old()
        act(team, "g")
        audit_chain.seal()
    assert entry("g").number == 7 and entry("g").previous_sha256 == noted.sha256
    assert chain_of_team(team, noted).broken is None
    assert chain_of_team(team).count == 1


def test_an_entry_whose_clock_was_behind_keeps_those_after_it_no_longer(team: Team) -> None:
    """An older entry behind a younger one stays until that goes: a chain has no gaps."""
    act(team, "young")
    with time_machine.travel(timezone.now() - timedelta(days=500), tick=False):
        act(team, "of a clock that was wrong")
    audit_chain.seal()
    audit_chain.forget_old()
    assert AuditEntry.objects.count() == 2
    assert chain_of_team(team).broken is None


def test_what_is_not_sealed_yet_is_not_forgotten(team: Team) -> None:
    act(team, "a")
    with time_machine.travel(timezone.now() + timedelta(days=500), tick=False):
        audit_chain.forget_old()
        assert AuditEntry.objects.count() == 1
        audit_chain.seal()
        audit_chain.forget_old()
    assert AuditEntry.objects.count() == 0


@pytest.mark.both_stacks
@pytest.mark.django_db(transaction=True)
def test_two_that_seal_at_once_number_each_entry_once(owner: Person) -> None:
    AuditEntry.objects.all().delete()
    act(owner.team, *map(str, range(50)))
    together = Barrier(2)
    errors: list[BaseException] = []

    def seal() -> None:
        together.wait()
        try:
            audit_chain.seal()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [Thread(target=seal) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert chain_of_team(owner.team).count == 50 and chain_of_team(owner.team).broken is None


def test_sealing_asks_once_where_nothing_waits(team: Team, django_assert_num_queries: Any) -> None:
    act(team, "a")
    audit_chain.seal()
    with django_assert_num_queries(1):
        audit_chain.seal()
