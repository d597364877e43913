"""Groups by tag and session on the usage page, and groups within a group."""

import csv
import re
from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange
from inspector.dashboard.usage import group_table
from inspector.usage.rollup import grouping
from tests.archive.samples import WHOLE, accept, accept_arrival, inspect_all
from tests.people import Person

USAGE = "/t/default/usage/"
ROW = re.compile(
    r'<tr(?P<inner> class="inner")?>\s*<th scope="row">\s*<a\s+href="(?P<link>[^"]*)"[^>]*>(?P<name>[^<]*)</a>'
    r'.*?</th>\s*<td class="num captures"[^>]*>(?P<captures>[0-9,]+)</td>',
    re.DOTALL,
)


def sent(person: Person, model: str, *tags: str, session: str | None = None) -> None:
    body = WHOLE.replace(b"gpt-4o", model.encode())
    metadata = {"session": session} if session else {}
    accept_arrival(person, Submission(Exchange.of_body(body), tags=tags, metadata=metadata))
    inspect_all()


@pytest.fixture
def mixed(owner: Person) -> None:
    sent(owner, "gpt-4o", "search", "night", session="run 1")
    sent(owner, "gpt-4o", "search")
    sent(owner, "parcel-1", "night", session='run "2"')
    sent(owner, "parcel-1")


def table_rows(html: str) -> list[re.Match[str]]:
    table = html.partition('id="groups"')[2].partition("</section>")[0]
    return list(ROW.finditer(table))


def rows(html: str, *, inner: bool = False) -> dict[str, int]:
    """Name and captures of each row of the table, or of those inside of an open one."""
    found = (row for row in table_rows(html) if bool(row["inner"]) is inner)
    return {row["name"]: int(row["captures"]) for row in found}


def shown(person: Person, link: str) -> int:
    """Number of captures that a link lists."""
    html = person.page(unescape(link))
    assert "so it was left out" not in html
    return len(set(re.findall(r'<tr id="row-([^"]*)"', html)))


def test_usage_is_grouped_by_tag_and_by_session(owner: Person, mixed: None) -> None:
    html = owner.page(f"{USAGE}?by=tag")
    assert rows(html) == {"search": 2, "night": 2, "not sent": 1}
    html = owner.page(f"{USAGE}?by=session")
    assert rows(html) == {"run 1": 1, "run &quot;2&quot;": 1, "not sent": 2}
    assert "By session" in html and 'aria-current="true">session</a>' in html


def test_an_opened_group_shows_the_groups_in_it_and_closes_again(
    owner: Person, mixed: None
) -> None:
    html = owner.page(f"{USAGE}?by=tag")
    assert html.count('class="opener"') == 2, "a single capture is not grouped again"
    opener = re.search(r'aria-label="search by model"\s+href="([^"]*)#groups"', html)
    assert opener and not rows(html, inner=True)
    html = owner.page(f"{USAGE}{unescape(opener[1])}")
    assert rows(html, inner=True) == {"gpt-4o": 2}
    closer = re.search(
        r'aria-expanded="true"\s+aria-label="search by model"\s+href="([^"]*)#', html
    )
    assert closer and not rows(owner.page(f"{USAGE}{unescape(closer[1])}"), inner=True)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("by=model&within=tag&of=gpt-4o", {"search": 2, "night": 1}),
        ("by=model&within=session&of=parcel-1", {"run &quot;2&quot;": 1, "not sent": 1}),
        ("by=session&within=tag&of=", {"search": 1, "not sent": 1}),
        ("by=tag&within=model&of=", {"parcel-1": 1}),
        ("by=vendor&within=model&of=openai", {}),
        ("by=key&within=tag&of=weather", {}),
        ("by=model&within=vendor&of=weather", {}),
    ],
)
def test_every_row_within_a_group_leads_to_its_captures(
    owner: Person, mixed: None, query: str, expected: dict[str, int]
) -> None:
    html = owner.page(f"{USAGE}?{query}")
    assert rows(html, inner=True) == expected
    for row in table_rows(html):
        assert shown(owner, row["link"]) == int(row["captures"]), row["link"]


def test_by_script_the_table_comes_alone(owner: Person, mixed: None) -> None:
    query = "?by=model&within=key&of=gpt-4o"
    part = owner.page(f"{USAGE}{query}", headers={"HX-Request": "true"})
    assert part.strip().startswith("<section") and "<html" not in part
    assert "small-charts" not in part
    whole = owner.page(f"{USAGE}{query}")
    assert rows(part) == rows(whole) and rows(part, inner=True) == rows(whole, inner=True) != {}


def test_an_open_group_stays_open_when_the_table_is_sorted(owner: Person, mixed: None) -> None:
    html = owner.page(f"{USAGE}?by=tag&within=model&of=")
    ((query),) = re.findall(r'<a href="([^"]*sort=-captures[^"]*)#groups"', html)
    assert rows(owner.page(f"{USAGE}{unescape(query)}"), inner=True) == {"parcel-1": 1}


def test_an_open_group_is_listed_wherever_the_order_puts_it(
    owner: Person, mixed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_table, "LISTED_GROUPS", 1)
    sent(owner, "gpt-4o")
    for of, others in (("gpt-4o", 1), ("parcel-1", 0)):
        html = owner.page(f"{USAGE}?by=model&within=key&of={of}&sort=-captures")
        assert len(rows(html)) == 2 - others
        assert sum(rows(html, inner=True).values()) == rows(html)[of]


@pytest.mark.parametrize("by", ["model", "vendor", "key", "tag", "session"])
def test_a_group_that_there_is_not_has_nothing_in_it(owner: Person, mixed: None, by: str) -> None:
    query = f"by={by}&within={'key' if by == 'model' else 'model'}&of=%3Cb%3Eweather"
    assert rows(owner.page(f"{USAGE}?{query}"), inner=True) == {}
    assert owner.get(f"/api/v1/usage/?{query}").json["groups"] == []
    assert owner.page(f"/t/default/usage.csv?{query}").count("\n") == 1


def test_a_session_is_neither_markup_nor_a_formula(owner: Person) -> None:
    sent(owner, "gpt-4o", session='=cmd|"<b>"')
    html = owner.page(f"{USAGE}?by=session")
    assert rows(html) == {"=cmd|&quot;&lt;b&gt;&quot;": 1} and "|<b>" not in html
    (_, row) = csv.reader(owner.page("/t/default/usage.csv?by=session").splitlines())
    assert row[0] == """'=cmd|"<b>\""""


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("by=model&within=weather&of=a", "There is no grouping by &#x27;weather&#x27; within"),
        ("by=model&within=model&of=a", "There is no grouping by"),
        ("by=model&within=key", "There is no grouping by"),
    ],
)
def test_groups_that_there_are_not_within_others_are_told(
    owner: Person, mixed: None, query: str, told: str
) -> None:
    html = owner.page(f"{USAGE}?{query}")
    assert told in html and rows(html) == {"gpt-4o": 2, "parcel-1": 2}


def test_of_many_captures_the_page_and_the_table_say_that_the_newest_were_counted(
    owner: Person, mixed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "over the newest" not in owner.page(f"{USAGE}?by=tag")
    monkeypatch.setattr(grouping, "MOST", 2)
    assert "Counted over the newest 2 captures." in owner.page(f"{USAGE}?by=tag")
    inside = owner.page(f"{USAGE}?by=model&within=tag&of=gpt-4o")
    assert "newest" not in inside and rows(inside, inner=True) == {"search": 2, "night": 1}
    table = owner.page("/t/default/usage.csv?by=tag")
    assert list(csv.reader(table.splitlines()))[-1][0] == "counted over the newest 2 captures"


def test_the_groups_within_one_go_to_other_programs(owner: Person, mixed: None) -> None:
    query = "by=model&within=tag&of=gpt-4o"
    head, *found = csv.reader(owner.page(f"/t/default/usage.csv?{query}").splitlines())
    assert head[:2] == ["tag", "captures"]
    assert [row[:2] for row in found] == [["search", "2"], ["night", "1"]]
    told = owner.browser().get(f"/t/default/usage.json?{query}").json()
    assert [group["value"] for group in told["groups"]] == ["search", "night"]
    assert (told["by"], told["within"], told["of"]) == ("model", "tag", "gpt-4o")


def test_a_model_without_a_price_is_offered_one_inside_of_a_group_too(
    owner: Person, mixed: None
) -> None:
    html = owner.page(f"{USAGE}?by=tag&within=model&of=night")
    assert "/usage/prices/?model=parcel-1" in html


def test_each_door_is_answered_by_team(owner: Person, stranger: Person, teammate: Person) -> None:
    sent(owner, "gpt-4o", "search", session="run 1")
    query = "by=tag&within=session&of=search"
    for path in (USAGE, "/t/default/usage.csv", "/t/default/usage.json"):
        assert "run 1" in owner.page(f"{path}?{query}") + teammate.page(f"{path}?{query}")
        assert stranger.browser().get(f"{path}?{query}").status_code == 404
    for person, groups in ((owner, ["run 1"]), (teammate, ["run 1"]), (stranger, [])):
        found = person.get(f"/api/v1/usage/?{query}").json["groups"]
        assert [group["value"] for group in found] == groups


def test_a_group_says_how_its_cost_changed_against_the_period_before(owner: Person) -> None:
    for days, number in ((10, 2), (0, 3)):
        for _ in range(number):
            capture_id = accept(owner)
            at = timezone.now() - timedelta(days=days)
            Capture.objects.filter(pk=capture_id).update(received_at=at, called_at=at)
            inspect_all()
    changed = r'<td class="num soft change">([^<]*)</td>'
    html = owner.page(f"{USAGE}?range=7d")
    assert re.findall(changed, html.partition("<tbody>")[2].partition("</tbody>")[0]) == ["+50 %"]
    assert ">change</a>" in html and "sort=-change" in html
    for query in ("range=7d&comparison=none", "range=30d", "range=7d&by=tag"):
        assert ">change</a>" not in owner.page(f"{USAGE}?{query}")
