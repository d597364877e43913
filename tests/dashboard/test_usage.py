import re

import pytest
from django.test import Client

from inspector.dashboard.usage_page import dollars, share, short
from tests.archive.samples import CUT, SSE, STREAM, WHOLE, inspected
from tests.people import Person


def page(person: Person, query: str = "") -> str:
    client = Client()
    client.force_login(person.user)
    response = client.get(f"/t/{person.team.slug}/usage/{query}")
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_the_sentence_says_what_the_sum_covers(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, STREAM, SSE)
    inspected(owner, CUT)
    told = words(page(owner))
    assert "5 tokens in 3 captures." in told
    assert "Usage is reported by 33 % of them" in told
    assert "sent none: 1 complete, 1 cut-off, so the true sum is higher" in told
    assert "none states a cost" in told


def test_what_was_never_sent_is_no_zero(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"completion_tokens":2', b'"completion_tokens":0'))
    told = words(page(owner))
    assert re.search(r"completion 0 1 ", told)
    assert re.search(r"reasoning never sent", told)


def test_every_bar_and_every_name_leads_to_its_captures(owner: Person) -> None:
    inspected(owner)
    html = page(owner)
    links = re.findall(r'href="(/t/default/captures/\?[^"]+)"', html)
    client = Client()
    client.force_login(owner.user)
    assert any("model=gpt-4o" in link for link in links)
    for link in dict.fromkeys(links):
        assert client.get(link.replace("&amp;", "&")).status_code == 200
    filled = [link for link in links if "verdict=complete" in link]
    assert "chatcmpl" not in html and filled


def test_a_hostile_name_is_text(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"gpt-4o"', b'"<script>alert(1)</script>"'))
    for by in ("model", "fingerprint"):
        assert "<script>alert" not in page(owner, f"?by={by}")


def test_a_period_that_is_none_is_told(owner: Person) -> None:
    assert "soon is no moment." in page(owner, "?since=soon")


def test_an_empty_period_says_so(owner: Person) -> None:
    assert "No captures in this period." in words(page(owner))


@pytest.mark.parametrize("by", ["model", "vendor", "key", "service_tier", "fingerprint"])
def test_the_table_goes_to_other_programs(owner: Person, by: str) -> None:
    inspected(owner)
    client = Client()
    client.force_login(owner.user)
    response = client.get(f"/t/default/usage.csv?by={by}")
    head, row = response.content.decode().splitlines()
    assert head.startswith(f"{by},captures,streamed,usage_reported,prompt_tokens")
    assert ",1,0,1,3,1," in row


def test_a_stranger_finds_nothing(owner: Person, stranger: Person) -> None:
    inspected(owner)
    client = Client()
    client.force_login(stranger.user)
    assert client.get("/t/default/usage/").status_code == 404
    assert client.get("/t/default/usage.csv").status_code == 404


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0"), (99_999, "99,999"), (100_000, "100 k"), (39_500_000, "39.5 M"), (10**13, "10.0 T")],
)
def test_large_numbers_are_short(number: int, expected: str) -> None:
    assert short(number) == expected


def test_only_all_are_all(owner: Person) -> None:
    assert [share(*pair) for pair in ((0, 9), (1, 9999), (9998, 9999), (9, 9), (0, 0))] == [
        "0 %",
        "1 %",
        "99 %",
        "100 %",
        "0 %",
    ]


@pytest.mark.parametrize(
    ("picodollars", "expected"),
    [
        (0, "$0"),
        (1, "$0.000000000001"),
        (150_000_000_000, "$0.15"),
        (12_345_678 * 10**9, "$12,345.68"),
    ],
)
def test_small_money_is_not_rounded_away(picodollars: int, expected: str) -> None:
    assert dollars(picodollars) == expected
