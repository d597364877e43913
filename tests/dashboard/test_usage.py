import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from inspector.archive.intake import Arrival
from inspector.core.exchange import Exchange, Read, Request
from inspector.dashboard.usage_page import ROW_NAMES
from inspector.dashboard.usage_words import change_of, dollars, share, short
from inspector.usage import team_prices
from inspector.usage.kinds import Kind
from inspector.usage.overrides import Override
from inspector.usage.share import TOKENS
from tests.archive.samples import (
    CUT,
    JSON,
    SSE,
    STREAM,
    WHOLE,
    accept_arrival,
    inspect_all,
    inspected,
)
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
    assert "5 tokens and $0.000026 in 3 captures." in told
    assert "Usage is reported by 33 % of them" in told
    assert "sent none: 1 complete, 1 cut-off, so the true sum is higher" in told
    assert "none states a cost" in told


def test_costs_say_of_how_many_captures_they_are_and_why_others_have_none(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1"))
    inspected(owner, STREAM, SSE)
    inspected(owner, CUT)
    told = words(page(owner))
    assert "cost is computed for 25 % by genai-prices 0.2.3" in told
    assert "3 unknown: usage not sent 2, no price of the model 1" in told
    assert "computed $0.000026 1" in told
    assert "no price of the model 1 25 %" in told
    # Of one group a part is known, of the other nothing.
    assert re.search(r"gpt-4o 2 5 \$0.000026 of 50 % not sent", told)
    assert re.search(r"parcel-1 1 5 unknown not sent", told)


def test_stated_stands_beside_computed_for_the_same_captures(owner: Person) -> None:
    for cost in ("0.00002625", "0.5"):
        body = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":' + cost.encode())
        inspected(owner, body)
    inspected(owner)
    html = page(owner)
    told = words(html)
    assert "a cost is stated by 67 %: $0.500026" in told
    assert "stated by vendors $0.500026 2" in told
    assert "of those with both, stated $0.500026 2" in told
    # 2 × 0.00002625
    assert "of those with both, computed $0.000053 2" in told or "$0.000052 2" in told
    assert "2 captures state $0.500026 where" in html and "; 1 differ" in html
    (link,) = re.findall(r'href="([^"]*finding=cost.stated-differs[^"]*)"', html)
    found = owner.browser().get(link.replace("&amp;", "&")).content.decode()
    assert len(set(re.findall(r'class="row-link[^>]*', found))) == 1


def test_without_a_difference_nothing_is_marked(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":0.00002625'))
    html = page(owner)
    assert 'class="stated" x=' not in html and "finding=cost" not in html
    assert "cost is computed for 100 %" in html


def test_several_tables_are_each_named(owner: Person) -> None:
    inspected(owner)
    rates = {Kind.PROMPT: Decimal(1), Kind.COMPLETION: Decimal(1)}
    for day in (1, 2, 3, 4):
        override = Override("gpt-4o", rates, date(2026, 11, day))
        team_prices.for_principal(owner.principal).add(override)
        inspected(owner)
    told = words(page(owner))
    assert "cost is computed for 100 % by 5 price tables" in told
    assert "genai-prices 0.2.3 1 20 % override of 2026-11-01 1 20 %" in told


def test_what_was_never_sent_is_no_zero(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"completion_tokens":2', b'"completion_tokens":0'))
    told = words(page(owner))
    assert re.search(r"completion 0 1 ", told)
    assert re.search(r"Never sent: .*reasoning, completion text", told)
    assert "cached 1 1 " in told and "prompt cached" not in told


def test_every_kind_of_tokens_has_its_row() -> None:
    assert ROW_NAMES.keys() == set(TOKENS)


def test_a_change_is_told_in_percent_up_to_many_times() -> None:
    pairs = ((11, 10), (0, 10), (10, 0), (10, None), (99, 10), (100, 10), (12_345, 10))
    assert [change_of(*pair) for pair in pairs] == [
        "+10 %",
        "-100 %",
        "",
        "",
        "+890 %",
        "× 10",
        "× 1,234",
    ]


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


def test_a_part_larger_than_its_whole_is_told_and_stands_in_no_sum(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, WHOLE.replace(b'"cached_tokens":1', b'"cached_tokens":5000'))
    told = words(page(owner))
    assert "1 capture state more cached_tokens than what they are part of" in told
    assert "cached 1 1 " in told and "prompt 6 2 " in told


def test_the_total_is_what_was_stated_and_says_where_it_differs(owner: Person) -> None:
    inspected(owner, WHOLE)
    without = words(page(owner))
    assert "The totals of" not in without and "5 tokens" in without
    inspected(owner, WHOLE.replace(b'"total_tokens":5', b'"total_tokens":9'))
    told = words(page(owner))
    assert "10 tokens" in told and "total, as stated 14 2 " in told
    assert "The totals of 2 captures say 14; prompt and completion add up to 10, in 2." in told


def test_a_name_longer_than_a_filter_takes_leads_nowhere(owner: Person) -> None:
    for letters in (b"m" * 200, b"n" * 201):
        inspected(owner, WHOLE.replace(b"gpt-4o", letters))
    html = page(owner)
    assert f"model={'m' * 200}" in html and f"model={'n' * 201}" not in html
    assert f'<span title="{"n" * 201}">' in html


def test_of_many_finish_reasons_the_most_frequent_are_listed(owner: Person) -> None:
    inspected(owner)
    assert "more finish reasons" not in page(owner)
    choice = '{"index":%d,"message":{"role":"assistant","content":""},"finish_reason":"end-%d-%d"}'
    for one in range(3):
        choices = ",".join(choice % (at, one, at) for at in range(20))
        head = '{"id":"a","object":"chat.completion","model":"gpt-4o","choices":['
        inspected(owner, f"{head}{choices}]}}".encode())
    html = page(owner)
    assert len(set(re.findall(r"finish_reason=([^&\"]+)", html))) == 50
    assert "11 more finish reasons." in html


def test_every_pattern_that_a_drawing_is_filled_with_is_on_the_page(owner: Person) -> None:
    inspected(owner)
    style = Path(finders.find("dashboard/style.css") or "").read_text()
    filled = set(re.findall(r"url\(#([^)]+)\)", style))
    assert {"fill-cached", "fill-reasoning", "fill-broken"} <= filled
    assert filled == set(re.findall(r'<pattern id="([^"]+)"', page(owner)))


def test_a_drawing_is_a_table_of_exact_numbers_too(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"prompt_tokens":3', b'"prompt_tokens":1234567'))
    inspected(owner, CUT)
    told = words(page(owner))
    heads = "prompt, cached prompt, not cached completion, reasoning completion, rest total"
    assert f"received, UTC {heads} " in told
    assert re.search(r" 1 1,234,566 0 2 1,234,569 ", told)
    assert re.search(r"received, UTC complete broken total [^,]* 1 1 2 ", told)


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
    named = dict(zip(head.split(","), row.split(","), strict=True))
    assert (named["computed_usd"], named["computed_usd_captures"]) == ("0.00002625", "1")
    assert (named["stated_usd"], named["cost_unknown_captures"]) == ("", "0")


def test_the_same_goes_to_other_programs_as_json(owner: Person) -> None:
    inspected(owner)
    response = owner.browser().get("/t/default/usage.json?by=vendor&range=24h")
    found, told = response.json(), owner.get("/api/v1/usage/?by=vendor&range=24h").json
    # An hour may end between the two.
    ends = {"since", "until"}
    assert found.keys() == told.keys() >= ends
    assert all(found[name] == told[name] for name in found.keys() - ends)
    assert found["all"]["computed_usd"] == {"sum": "0.00002625", "captures": 1}
    assert found["all"]["cost_tables"] == {"genai-prices 0.2.3": 1}
    assert owner.browser().get("/t/default/usage.json?since=soon").status_code == 422


def test_a_model_that_was_asked_for_leads_to_its_captures(owner: Person) -> None:
    for asked in ("gpt-4o", "gpt-4o-mini", None):
        body = b'{"model":"%s"}' % asked.encode() if asked else b"{}"
        request = Request(method="POST", url="https://api.example.org/v1", body=body)
        exchange = Exchange(reads=(Read(None, WHOLE),), content_type=JSON, request=request)
        accept_arrival(owner, Arrival(exchange))
    inspect_all()
    html = page(owner, "?by=request_model")
    for link in set(re.findall(r'href="([^"]*[?]request_model=[^"]*)"', html)):
        found = owner.browser().get(link.replace("&amp;", "&")).content.decode()
        assert len(set(re.findall(r'class="row-link[^>]*', found))) == 1, link
    assert html.count("?request_model=gpt-4o&") == html.count("?request_model=gpt-4o-mini&") == 1


def test_a_key_leads_to_its_captures(owner: Person) -> None:
    inspected(owner)
    (link,) = set(re.findall(r'href="([^"]*[?]key=[^"]*)"', page(owner, "?by=key")))
    found = owner.browser().get(link.replace("&amp;", "&")).content.decode()
    assert len(set(re.findall(r'class="row-link[^>]*', found))) == 1


def test_a_stranger_finds_nothing(owner: Person, stranger: Person) -> None:
    inspected(owner)
    client = Client()
    client.force_login(stranger.user)
    assert client.get("/t/default/usage/").status_code == 404
    assert client.get("/t/default/usage.csv").status_code == 404
    assert client.get("/t/default/usage.json").status_code == 404


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0"), (99_999, "99,999"), (100_000, "100 k"), (39_500_000, "39.5 M"), (10**13, "10.0 T")],
)
def test_large_numbers_are_short(number: int, expected: str) -> None:
    assert short(number) == expected


def test_only_all_are_all(owner: Person) -> None:
    assert [share(*pair) for pair in ((0, 9), (1, 9999), (9998, 9999), (9, 9), (0, 0))] == [
        "0 %",
        "under 1 %",
        "over 99 %",
        "100 %",
        "0 %",
    ]


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        (0, "$0"),
        (1, "$0.0000000001"),
        (1_500_000_000, "$0.15"),
        (12_345_678 * 10**7, "$12,345.68"),
    ],
)
def test_small_money_is_not_rounded_away(ticks: int, expected: str) -> None:
    assert dollars(ticks) == expected
