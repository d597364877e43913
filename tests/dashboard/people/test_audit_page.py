"""The page of the audit log: words, filters, the file, and what the log keeps."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from inspector.dashboard.people.audit_views import ACT_WORDS, AuditLine, audit_line
from inspector.teams import audit, audit_chain, audit_export
from inspector.teams.access import NOBODY
from inspector.teams.audit import Act
from inspector.teams.models import AuditEntry, Team
from inspector.teams.queries import AuditRow
from tests.markup import evened
from tests.people import Person

PAGE = "/t/default/team/audit/"
FILE = "/t/default/team/audit.jsonl"
SETTINGS = f"{PAGE}settings/"


@pytest.fixture
def owner(owner: Person) -> Person:
    """Whose team did three things on three days."""
    AuditEntry.objects.all().delete()
    team = owner.team.pk
    with time_machine.travel("2026-11-20T23:59:59.999999Z", tick=False):
        audit.note(owner.principal, team, Act.SITE_LISTED, "https://first.example")
    with time_machine.travel("2026-11-21T00:00:00Z", tick=False):
        audit.note(NOBODY, team, Act.SITE_LISTED, "https://second.example")
    with time_machine.travel("2026-11-22T12:00:00Z", tick=False):
        audit.note(owner.principal, team, Act.SITE_REMOVED, "https://third.example")
    return owner


def listed(person: Person, **filters: str) -> list[str]:
    page = person.browser().get(PAGE, filters).content.decode()
    return [site for site in ("third", "second", "first") if f"https://{site}.example" in page]


def exported(person: Person, **filters: str) -> list[dict[str, Any]]:
    response = person.browser().get(FILE, filters)
    assert response.status_code == 200
    return [json.loads(line) for line in b"".join(response).splitlines()]


def test_every_act_has_words_of_its_own() -> None:
    assert set(ACT_WORDS) == set(Act)
    assert len(set(ACT_WORDS.values())) == len(Act)


CAPTURE = "01a218a4-fc30-7f01-abba-abc3a9677ac3"


def test_an_entry_leads_to_the_capture_that_it_names(owner: Person) -> None:
    audit.note(owner.principal, owner.team.pk, Act.SHARE_MADE, f"link 3 to capture {CAPTURE}")
    audit.note(owner.principal, owner.team.pk, Act.SITE_LISTED, "https://<b>.example")
    page = owner.browser().get(PAGE).content.decode()
    assert f'link 3 to capture<a href="/captures/{CAPTURE}/">{CAPTURE}</a>' in evened(page)
    assert "https://&lt;b&gt;.example" in page


def test_a_capture_that_was_deleted_is_named_and_not_led_to(owner: Person) -> None:
    audit.note(owner.principal, owner.team.pk, Act.CAPTURE_DELETED, CAPTURE)
    page = owner.browser().get(PAGE).content.decode()
    assert CAPTURE in page and f"/captures/{CAPTURE}/" not in page


def test_an_act_of_a_later_release_is_shown_by_its_code() -> None:
    at = datetime(2026, 11, 20, 14, 2, 19, tzinfo=UTC)
    line = audit_line(AuditRow("user olga", "team_merged", "", None, at))
    assert line == AuditLine(at, "user olga", "team_merged", "", None)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, ["third", "second", "first"]),
        ({"who": "OLGA"}, ["third", "first"]),
        ({"who": "command"}, ["second"]),
        ({"who": "o%g"}, []),
        ({"what": "site_removed"}, ["third"]),
        ({"first": "2026-11-21"}, ["third", "second"]),
        ({"last": "2026-11-20"}, ["first"]),
        ({"first": "2026-11-21", "last": "2026-11-21"}, ["second"]),
        ({"who": "olga", "what": "site_listed", "last": "2026-11-22"}, ["first"]),
        ({"who": "", "what": "", "first": "", "last": ""}, ["third", "second", "first"]),
    ],
)
def test_it_is_filtered_by_who_what_and_when(
    owner: Person, filters: dict[str, str], found: list[str]
) -> None:
    assert listed(owner, **filters) == found
    sites = [
        line["on"].removeprefix("https://").partition(".")[0] for line in exported(owner, **filters)
    ]
    assert [site for site in sites if site] == found[::-1]


@pytest.mark.parametrize(
    "filters",
    [
        {"what": "no_such_act"},
        {"first": "yesterday"},
        {"last": "2026-13-01"},
        {"who": "\0"},
        {"who": "x" * 201},
    ],
)
def test_of_a_filter_that_is_not_understood_nothing_is_listed(
    owner: Person, filters: dict[str, str]
) -> None:
    for address in (PAGE, FILE):
        answer = owner.browser().get(address, filters)
        assert answer.status_code == 422
        assert b"A filter was not understood" in answer.content
        assert b"https://first.example" not in answer.content


def test_the_next_page_keeps_the_filters(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.teams.queries.ENTRIES", 1)
    page = owner.browser().get(PAGE, {"who": "olga"}).content.decode()
    older = page.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert older.startswith("?before=") and older.endswith("&who=olga")
    assert "first.example" in owner.browser().get(f"{PAGE}{older}").content.decode()


def test_the_file_has_what_it_takes_to_check_the_chain(owner: Person) -> None:
    audit_chain.seal()
    *lines, own = exported(owner)
    assert [line["number"] for line in lines] == [1, 2, 3]
    assert (own["act"], own["number"], own["sha256"]) == ("audit_exported", None, None)
    previous = ""
    for line in lines:
        keys = ("chain", "number", "at", "by", "act", "on", "network", "previous")
        spelt = json.dumps([1, *(line[key] for key in keys)], separators=(",", ":"))
        assert line["previous"] == previous
        previous = hashlib.sha256(spelt.encode()).hexdigest()
        assert line["sha256"] == previous


def test_exporting_is_noted_and_read_in_pieces(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_export, "LINES_AT_ONCE", 2)
    assert [line["act"] for line in exported(owner)] == [
        "site_listed",
        "site_listed",
        "site_removed",
        "audit_exported",
    ]


def test_an_owner_sets_how_long_entries_are_kept(owner: Person, stranger: Person) -> None:
    assert owner.browser().post(SETTINGS, {"days": "120"}).status_code == 302
    assert [team.slug for team in Team.objects.filter(audit_days=120)] == ["default"]


def test_a_change_of_what_is_kept_is_an_entry_and_no_change_is_none(owner: Person) -> None:
    for days in ("500", "500", "90"):
        assert owner.browser().post(SETTINGS, {"days": days}).status_code == 302
    changes = AuditEntry.objects.filter(act=Act.AUDIT_CHANGED).order_by("pk")
    assert list(changes.values_list("by", "on")) == [
        ("user olga", "500 days"),
        ("user olga", "90 days"),
    ]
    assert "Kept for 90 days" in owner.browser().get(PAGE).content.decode()


@pytest.mark.parametrize("days", ["", "89", "3651", "-1", "x", "9" * 30])
def test_a_log_keeps_a_quarter_to_ten_years(owner: Person, days: str) -> None:
    answer = owner.browser().post(SETTINGS, {"days": days})
    assert answer.status_code == 422
    assert Team.objects.get(slug="default").audit_days == 400
