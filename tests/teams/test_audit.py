"""The audit trail: who did what, who reads it, and when it is forgotten."""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.feedback import allowed_sites
from inspector.feedback import signing_keys as feedback_keys
from inspector.teams import audit, audit_chain
from inspector.teams.access import NOBODY
from inspector.teams.accounts import create_owner
from inspector.teams.audit import Act
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey, AuditEntry, Invitation, Membership, Role
from inspector.teams.queries import ENTRIES, for_principal
from inspector.teams.sign_in_links import create_link
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from tests.archive.samples import accept
from tests.people import Person, make_person
from tests.teams.test_invitations import invited

PASSWORD = "a long way from common"
PAGE = "/t/default/team/"
TRAIL = f"{PAGE}audit/"


@pytest.fixture(autouse=True)
def due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_due_at", 0.0)


@pytest.fixture
def owner(owner: Person) -> Person:
    """Who has a password, and did nothing yet."""
    owner.user.set_password(PASSWORD)
    owner.user.save()
    AuditEntry.objects.all().delete()
    return owner


def told(person: Person) -> list[tuple[str, str, str, str | None]]:
    """What their team's trail says, the oldest first."""
    trail = for_principal(person.principal).trail(person.team.slug)
    return [(entry.by, entry.act, entry.on, entry.network) for entry in reversed(trail.entries)]


def done(person: Person) -> list[tuple[str, str]]:
    return [(act, on) for _, act, on, _ in told(person)]


def sign_in(name: str, password: str, address: str = "192.0.2.7") -> int:
    form = {"username": name, "password": password}
    return int(Client(REMOTE_ADDR=address).post("/sign-in/", form).status_code)


def browser(person: Person, address: str = "192.0.2.7") -> Client:
    client = Client(REMOTE_ADDR=address)
    client.force_login(person.user)
    return client


def test_sign_ins_and_wrong_passwords_can_be_told_apart(owner: Person) -> None:
    assert sign_in("olga", "wrong") == 403
    assert sign_in("olga", PASSWORD, "2001:db8:1:2:3::4") == 302
    Client(REMOTE_ADDR="192.0.2.8").post(create_link(owner.user))
    assert told(owner) == [
        ("user olga", "sign_in_failed", "", "192.0.2.7"),
        ("user olga", "signed_in", "by password", "2001:db8:1:2::/64"),
        ("command", "link_made", "user olga", None),
        ("user olga", "signed_in", "by link", "192.0.2.8"),
    ]


def test_nobodys_name_costs_the_same(owner: Person, django_assert_num_queries: Any) -> None:
    for name in ("olga", "hunter2", "", "x" * 10_000):
        with django_assert_num_queries(2):
            audit.note_failure(name, "192.0.2.7")
    assert sign_in("hunter2", "wrong") == 403
    assert done(owner) == [("sign_in_failed", "")]
    assert "hunter2" not in str(list(AuditEntry.objects.values_list()))
    assert set(AuditEntry.objects.filter(team=None).values_list("by", flat=True)) == {
        "a name that is nobody's"
    }


def test_what_is_refused_unseen_is_not_written(owner: Person) -> None:
    statuses = [sign_in("olga", "wrong") for _ in range(15)]
    assert statuses == [403] * 10 + [429] * 5
    assert len(told(owner)) == 10


def test_what_people_do_stands_in_each_of_their_teams(owner: Person, stranger: Person) -> None:
    Membership.objects.create(user=owner.user, team=stranger.team, role=Role.VIEWER)
    AuditEntry.objects.all().delete()
    client = browser(owner)
    client.post("/account/password/", {"current": "wrong", "new": PASSWORD, "again": PASSWORD})
    again = {"current": PASSWORD, "new": f"{PASSWORD}!", "again": f"{PASSWORD}!"}
    assert client.post("/account/password/", again).status_code == 302
    assert client.post("/account/name/", {"name": "olga-2"}).status_code == 302
    assert client.post("/account/sessions/end/").status_code == 302
    assert done(owner) == [
        ("sign_in_failed", ""),
        ("password_set", ""),
        ("name_changed", "olga-2"),
        ("sessions_ended", ""),
    ]
    assert told(owner) == told(stranger)
    assert {(by, network) for by, _, _, network in told(owner)} == {
        ("user olga", "192.0.2.7"),
        ("user olga-2", "192.0.2.7"),
    }


def test_members_come_change_and_go(owner: Person) -> None:
    client = browser(owner)
    client.post(f"{PAGE}invitations/", {"role": "viewer", "days": "7"})
    withdrawn = Invitation.objects.get().pk
    for _ in range(2):
        client.post(f"{PAGE}invitations/{withdrawn}/withdraw/")
    token = invited(owner, Role.VIEWER)
    Client(REMOTE_ADDR="192.0.2.9").post(f"/join/{token}/", {"name": "nora"})
    member = Membership.objects.get(user__username="nora").pk
    client.post(f"{PAGE}members/{member}/role/", {"role": "member"})
    client.post(f"{PAGE}members/{member}/remove/")
    client.post(f"{PAGE}members/{member}/remove/")
    client.post(f"{PAGE}name/", {"name": "<i>Ours</i>"})
    assert done(owner) == [
        ("invited", "as viewer"),
        ("invitation_withdrawn", "as viewer"),
        ("invited", "as viewer"),
        ("joined", "as viewer, invited by olga"),
        ("signed_in", "by invitation"),
        ("role_changed", "user nora: viewer → member"),
        ("member_removed", "user nora"),
        ("team_renamed", "<i>Ours</i>"),
    ]
    assert "&lt;i&gt;Ours" in browser(owner).get(TRAIL).content.decode()


def test_who_leaves_and_who_becomes_owner_stands_there(owner: Person, teammate: Person) -> None:
    AuditEntry.objects.all().delete()
    create_owner("theo")
    browser(teammate).post(f"{PAGE}leave/")
    assert told(owner) == [
        ("command", "owner_made", "user theo", None),
        ("user theo", "left", "", "192.0.2.7"),
    ]


def test_keys_are_named_and_never_told(owner: Person) -> None:
    client = browser(owner)
    page = client.post(f"{PAGE}keys/", {"name": "billing", "scopes": ["read"], "days": ""})
    made = ApiKey.objects.get(name="billing")
    for _ in range(2):
        client.post(f"{PAGE}keys/{made.pk}/revoke/")
    create_api_key(owner.team, "by hand")
    revoke(ApiKey.objects.get(name="by hand"))
    by_hand = ApiKey.objects.get(name="by hand").prefix
    assert told(owner) == [
        ("user olga", "key_made", f"{made.prefix}… (billing): read", "192.0.2.7"),
        ("user olga", "key_revoked", f"{made.prefix}… (billing)", "192.0.2.7"),
        ("command", "key_made", f"{by_hand}… (by hand): ingest, read", None),
        ("command", "key_revoked", f"{by_hand}… (by hand)", None),
    ]
    secret = page.content.decode().partition(made.prefix)[2][:20]
    assert secret not in str(told(owner))


def test_a_deleted_capture_is_named_by_its_number_alone(owner: Person) -> None:
    first, second = accept(owner), accept(owner)
    assert owner.ask("DELETE", f"/api/v1/captures/{first}/").status == 200
    assert delete(owner.principal, second)
    assert delete(owner.principal, second) is None
    service = ApiKey.objects.get(name="olga's service")
    assert told(owner) == [
        (f"key {service.prefix}… (olga's service)", "capture_deleted", str(first), "127.0.0.1"),
        ("user olga", "capture_deleted", str(second), None),
    ]


def test_settings_of_votes_and_prices_stand_there(owner: Person) -> None:
    principal = owner.principal
    for _ in range(2):
        assert allowed_sites.allow_site(principal, "https://app.example.org")
    (site,) = allowed_sites.allowed_origins(principal)
    assert allowed_sites.disallow_site(principal, site.id) and not allowed_sites.disallow_site(
        principal, site.id
    )
    assert feedback_keys.rotate_key(principal) and feedback_keys.revoke_keys(principal)
    prices = team_prices.for_principal(principal)
    prices.add(Override("gpt-4o", {TokenKind.PROMPT: Decimal(1)}, starts=date(2026, 11, 1)))
    prices.end(prices.all()[0].id, date(2026, 12, 1))
    assert done(owner) == [
        ("site_listed", "https://app.example.org"),
        ("site_removed", "https://app.example.org"),
        ("feedback_key_replaced", ""),
        ("feedback_keys_revoked", ""),
        ("price_set", "gpt-4o from 2026-11-01"),
        ("price_ended", "gpt-4o on 2026-12-01"),
    ]


def test_owners_alone_read_it(owner: Person, teammate: Person, stranger: Person) -> None:
    admin = make_person("ada", "default", Role.ADMIN)
    for person, status in ((owner, 200), (admin, 403), (teammate, 403), (stranger, 404)):
        assert browser(person).get(TRAIL).status_code == status
    assert Client().get(TRAIL).status_code == 302
    for other in (admin, teammate, stranger):
        assert for_principal(other.principal).trail("default").entries == ()
    for person, sees in ((owner, True), (admin, False), (teammate, False)):
        assert (TRAIL in browser(person).get(PAGE).content.decode()) is sees


def test_it_is_read_by_pages_and_an_odd_address_begins_with_the_newest(owner: Person) -> None:
    write(owner, (f"https://site{number}.example" for number in range(ENTRIES + 3)))
    client = browser(owner)
    newest = client.get(TRAIL).content.decode()
    assert newest.count("<td>listed a site") == ENTRIES and "site2." not in newest
    older = newest.partition("?before=")[2].partition('"')[0]
    rest = client.get(TRAIL, {"before": older}).content.decode()
    assert rest.count("<td>listed a site") == 3 and "site0." in rest and "?before=" not in rest
    assert "Nothing is older." in client.get(TRAIL, {"before": "0"}).content.decode()
    for odd in ("x", "-1", "9" * 30, "\0", "٣"):
        assert client.get(TRAIL, {"before": odd}).content.decode().count("<td>listed a") == ENTRIES


def write(person: Person, origins: Iterable[str]) -> None:
    for origin in origins:
        audit.note(NOBODY, person.team.pk, Act.SITE_LISTED, origin)


def test_a_long_name_is_cut(owner: Person) -> None:
    write(owner, ["x" * 1_000])
    assert done(owner) == [("site_listed", "x" * 200)]


@pytest.mark.both_stacks
def test_entries_go_after_400_days(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    write(owner, ["https://old.example"])
    with time_machine.travel(timezone.now() + timedelta(days=399), tick=False):
        write(owner, ["https://young.example"])
        audit_chain.seal()
        audit.forget_old()
        assert len(told(owner)) == 2
    with time_machine.travel(timezone.now() + timedelta(days=401), tick=False):
        audit.forget_old()
        assert len(told(owner)) == 2, "asked again within the hour it does nothing"
        monkeypatch.setattr(audit, "_due_at", 0.0)
        audit.forget_old()
    assert done(owner) == [("site_listed", "https://young.example")]


@pytest.mark.both_stacks
def test_only_the_newest_passwords_are_kept(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_chain, "MAX_FAILED", 3)
    write(owner, ["https://stays.example"])
    for number in range(5):
        audit.note_failure("olga", f"192.0.2.{number}")
    audit_chain.seal()
    audit.forget_old()
    assert [(act, network) for _, act, _, network in told(owner)] == [
        ("site_listed", None),
        ("sign_in_failed", "192.0.2.2"),
        ("sign_in_failed", "192.0.2.3"),
        ("sign_in_failed", "192.0.2.4"),
    ]


def test_an_act_that_does_not_happen_is_not_written(owner: Person, teammate: Person) -> None:
    AuditEntry.objects.all().delete()
    member = Membership.objects.get(user=owner.user).pk
    assert browser(owner).post(f"{PAGE}leave/").status_code == 409
    assert browser(owner).post(f"{PAGE}members/{member}/remove/").status_code == 409
    assert browser(teammate).post(f"{PAGE}name/", {"name": "Mine"}).status_code == 403
    assert allowed_sites.allow_site(teammate.principal, "https://app.example.org") is False
    assert told(owner) == []
