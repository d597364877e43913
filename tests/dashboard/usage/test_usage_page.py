import csv
import json
import re
from datetime import date, timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, State
from inspector.core.completion import TOKEN_COUNTS
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.usage.token_table import ROW_NAMES
from inspector.dashboard.usage.wording import dollars, relative_change
from inspector.formatting.humanize import share, short_number
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.rollup.dimensions import GROUPINGS
from tests.archive.samples import (
    CUT,
    GEMINI,
    JSON,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.markup import evened
from tests.people import Person
from tests.tiers import mostly_thorough


def page(person: Person, query: str = "") -> str:
    client = Client()
    client.force_login(person.user)
    response = client.get(f"/t/{person.team.slug}/usage/{query}")
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def words(html: str) -> str:
    whole = re.sub(r'<span class="decimals">([^<]*)</span>', r"\1", html)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", whole))


def test_the_sentence_says_what_the_sum_covers(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, STREAM, SSE)
    inspected(owner, CUT)
    told = words(page(owner))
    assert "$0.0000262 for 3 captures and 5 tokens." in told
    assert "Tokens known for 33 %" in told
    assert "no usage from 1 complete, 1 cut-off" in told
    assert "no stated costs" in told


def test_tokens_of_every_format_are_known(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, GEMINI)
    told = words(page(owner))
    assert "Tokens known for 100 %" in told and "no usage from" not in told


def test_an_empty_finish_reason_is_named_and_leads_to_no_other_captures(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"stop"', b'""'))
    html = page(owner)
    assert "empty string 1 100 %" in words(html)
    assert "finish_reason=&" not in html and "links to all captures of this time" in html


def test_costs_say_of_how_many_captures_they_are_and_why_others_have_none(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1"))
    inspected(owner, STREAM, SSE)
    inspected(owner, CUT)
    told = words(page(owner))
    assert "cost known for 25 % (genai-prices 0.2.3)" in told
    assert "cost unknown for 3" in told and "usage not sent 2 50 %" in told
    assert "computed $0.000026 1" in told
    assert "no price for the model 1 25 %" in told
    # Of one group a part is known, of the other nothing.
    assert "gpt-4o 2 5 $0.0000262 1 " in told or "gpt-4o 2 5 $0.0000263 1 " in told
    assert "parcel-1 1 5 unknown 1 Set a price" in told


def test_stated_stands_beside_computed_for_the_same_captures(owner: Person) -> None:
    for cost in ("0.00002625", "0.5"):
        body = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":' + cost.encode())
        inspected(owner, body)
    inspected(owner)
    html = page(owner)
    told = words(html)
    assert "cost stated by 67 %: $0.500026" in told
    assert "stated by vendors $0.500026 2" in told
    assert "where both are known: stated $0.500026 2" in told
    # 2 × 0.00002625
    assert "where both are known: computed $0.000053 2" in told or "$0.000052 2" in told
    assert "≥" not in told and "$0.500 for 3 captures" in told
    (link,) = re.findall(r'href="([^"]*finding=cost.stated-differs&amp;since=[^"]*)"', html)
    found = owner.browser().get(link.replace("&amp;", "&")).content.decode()
    assert len(set(re.findall(r'class="row-link[^>]*', found))) == 1


def test_the_sum_is_that_of_the_costs_in_the_list(owner: Person) -> None:
    inspected(owner)
    for cost in (b"0.5", b"0.25"):
        stating = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":' + cost)
        inspected(owner, stating)
        inspected(owner, stating.replace(b"gpt-4o", b"parcel-1"))
    told = words(page(owner))
    # 2 × 0.5 + 2 × 0.25 + 0.00002625
    assert "$1.50 for 5 captures" in told and "Cost known for 100 %" in told
    assert re.search(r"gpt-4o 3 15 \$0.750 .*parcel-1 2 10 \$0.750 ", told)
    assert owner.browser().get("/t/default/captures/?cost=unknown").content.count(b'id="row-') == 0


def test_stated_costs_that_are_in_no_sum_have_a_row_of_their_own(owner: Person) -> None:
    for cost in (b"0.5", b"-1", b"1e12"):
        inspected(owner, WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":' + cost))
    html = page(owner)
    told = words(html)
    assert "stated by vendors $0.50 1" in told
    assert "where they differ 1" in told
    assert "stated, but not an amount not added 2" in told
    (link,) = re.findall(r'href="([^"]*finding=cost.stated-odd[^"]*)"', html)
    listed = owner.browser().get(link.replace("&amp;", "&")).content.decode()
    assert len(re.findall(r'<tr id="row-', listed)) == 2
    found = owner.get("/api/v1/usage/").json["all"]
    assert (found["cost_contradicts_stated"], found["cost_stated_odd"]) == (1, 2)
    table = owner.browser().get("/t/default/usage.csv").content.decode()
    head, row = list(csv.reader(table.splitlines()))[:2]
    cells = dict(zip(head, row, strict=True))
    assert (cells["cost_contradicts_stated_captures"], cells["cost_stated_odd_captures"]) == (
        "1",
        "2",
    )


def test_a_sum_that_something_billed_is_not_in_is_the_least(owner: Person) -> None:
    inspected(owner, WHOLE)
    before = words(page(owner))
    assert "at least" not in before and "≥" not in before
    for usage in (b'"num_search_queries":3,', b'"num_search_queries":1,"citation_tokens":9,'):
        inspected(owner, WHOLE.replace(b'"usage":{', b'"usage":{' + usage))
    html = page(owner)
    told = words(html)
    assert "≥ $0.0000788 for 3 captures and 15 tokens." in told
    assert "the cost excludes searches (2 captures) and citation tokens (1)" in told
    assert "computed at least $0.000079 3" in told
    assert "excluding searches or citation tokens at least $0.000052 2" in told
    assert "gpt-4o 3 15 ≥ $0.0000788 " in told
    assert ": $0.000079; at least: excludes searches (2 captures)" in html
    (link,) = re.findall(r'href="([^"]*cost=lower_bound[^"]*)"', html)
    listed = owner.browser().get(link.replace("&amp;", "&")).content.decode()
    assert len(re.findall(r'<tr id="row-', listed)) == 2
    assert words(listed).count("computed, at least ≥ $0.00003") == 2


def test_what_is_compared_with_stated_costs_is_called_the_least_where_it_is(owner: Person) -> None:
    searched = WHOLE.replace(b'"usage":{', b'"usage":{"num_search_queries":3,')
    inspected(owner, searched)
    for body, cost in ((WHOLE, b"0.25"), (searched, b"0.25")):
        html = page(owner)
        assert "where both are known: computed at least" not in words(html)
        inspected(owner, body.replace(b'"index":0', b'"index":0,"cost_usd":' + cost))
    html = page(owner)
    assert re.search(r"where both are known: computed at least \$0.00005[23] 2", words(html))
    assert owner.get("/api/v1/usage/").json["all"]["lower_bound_where_both_usd"] == {
        "sum": "0.00002625", "captures": 1,
    }  # fmt: skip


def test_without_a_difference_nothing_is_marked(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":0.00002625'))
    html = page(owner)
    assert "finding=cost" not in html
    assert "cost known for 100 %" in html


def test_several_tables_are_each_named(owner: Person) -> None:
    inspected(owner)
    rates = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(1)}
    for day in (1, 2, 3, 4):
        override = Override("gpt-4o", rates, date(2026, 11, day))
        team_prices.for_principal(owner.principal).add(override)
        inspected(owner)
    told = words(page(owner))
    assert "cost known for 100 % (5 price tables)" in told
    assert "genai-prices 0.2.3 1 20 % your price from 2026-11-01 (gpt-4o) 1 20 %" in told
    assert "computed with 5 price tables" in told
    assert '<details class="more"><summary>computed with 5' in evened(page(owner))


def test_group_whose_tokens_or_stated_costs_nobody_told_has_none_and_no_zero(owner: Person) -> None:
    silent = WHOLE.replace(b'"usage":', b'"used":')
    inspected(owner, silent.replace(b"gpt-4o", b"silent-1"))
    told = words(page(owner))
    assert "silent-1 1 not sent unknown 1 " in told
    assert "No usage, 1 capture." in told
    free = WHOLE.replace(b'"prompt_tokens":3', b'"prompt_tokens":0')
    free = free.replace(b'"completion_tokens":2', b'"completion_tokens":0')
    inspected(owner, free.replace(b"gpt-4o", b"free-1"))
    inspected(owner, silent)
    for index in (b'"index":0', b'"index":0,"cost_usd":0.5', b'"index":0'):
        inspected(owner, WHOLE.replace(b'"index":0', index))
    told = words(page(owner))
    assert "free-1 1 0 unknown 1 " in told
    assert "gpt-4o 4 15 $0.500 1 " in told
    table = owner.browser().get("/t/default/usage.csv").content.decode()
    head, *rows = csv.reader(table.splitlines())
    found = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert (found["silent-1"]["prompt_tokens"], found["free-1"]["prompt_tokens"]) == ("", "0")


def test_usage_without_counts_is_no_number_of_tokens(owner: Person) -> None:
    counts = b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":5'
    assert counts in WHOLE
    inspected(owner, WHOLE.replace(counts, b'"prompt_tokens":null'))
    told = words(page(owner))
    assert "No token counts, 1 capture." in told and "gpt-4o 1 not sent unknown" in told


def test_what_was_never_sent_is_no_zero(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"completion_tokens":2', b'"completion_tokens":0'))
    told = words(page(owner))
    assert re.search(r"completion 0 1 ", told)
    assert "reasoning never sent" in told and "rejected prediction never sent" in told
    assert re.search(r"Also never sent: .*cache write, .*completion text", told)
    assert "cached 1 1 " in told and "prompt cached" not in told


def test_every_kind_of_tokens_has_its_row() -> None:
    assert ROW_NAMES.keys() == set(TOKEN_COUNTS) - {"total_tokens"}


def test_a_change_is_told_in_percent_up_to_many_times() -> None:
    pairs = ((11, 10), (0, 10), (10, 0), (10, None), (None, 10), (99, 10), (100, 10), (12_345, 10))
    assert [relative_change(*pair) for pair in pairs] == [
        "+10 %",
        "-100 %",
        "",
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


def test_costs_lead_to_the_captures_that_they_are_of(owner: Person) -> None:
    inspected(owner, WHOLE)
    rates = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(1)}
    team_prices.for_principal(owner.principal).add(Override("gpt-4o", rates, date(2026, 11, 1)))
    for _ in range(2):
        inspected(owner, WHOLE)
    for _ in range(3):
        inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1"))
    for _ in range(4):
        inspected(owner, STREAM, SSE)
    expected = {
        "cost=computed": 3,
        "cost=no_price": 3,
        "cost=no_usage": 4,
        "price_table=genai-prices%200.2.3": 1,
        "price_table=override%20of%202026-11-01%20%28gpt-4o%29": 2,
    }
    links = dict(
        re.findall(
            r'href="([^"]*\?((?:cost=no|cost=computed|price_table=)[^&"]*)[^"]*)"', page(owner)
        )
    )
    assert set(links.values()) == set(expected)
    for link, asked in links.items():
        listed = owner.browser().get(link.replace("&amp;", "&")).content.decode()
        assert len(re.findall(r'<tr id="row-', listed)) == expected[asked], asked
        assert "so it was left out" not in listed


def test_an_empty_name_is_none(owner: Person) -> None:
    empty = b'"service_tier":"","system_fingerprint":"","model"'
    inspected(owner, WHOLE.replace(b'"model"', empty))
    inspected(owner, WHOLE)
    for by in ("service_tier", "fingerprint"):
        found = owner.get(f"/api/v1/usage/?by={by}").json["groups"]
        assert [(group["value"], group["captures"]) for group in found] == [(None, 2)]


def test_a_group_leads_to_its_costs_that_differ_or_are_not_known(owner: Person) -> None:
    stating = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":0.5')
    unpriced = [WHOLE.replace(b"gpt-4o", b"parcel-2"), stating.replace(b"gpt-4o", b"parcel-1")]
    for body in (stating, WHOLE, *unpriced):
        inspected(owner, body)
    html = page(owner)
    found = {
        "finding=cost.stated-differs&amp;model=gpt-4o&amp;": ".500",
        "cost=unknown&amp;model=parcel-2&amp;": "1",
    }
    for query, said in found.items():
        ((link, text),) = re.findall(
            rf'href="([^"]*[?]{re.escape(query)}[^"]*)"[^>]*>(?:\$0<span class="decimals">)?([^<]*)',
            html,
        )
        assert text == said
        listed = owner.browser().get(link.replace("&amp;", "&")).content.decode()
        assert len(re.findall(r'<tr id="row-', listed)) == 1
    assert "finding=cost.stated-differs&amp;model=parcel-1" not in html
    assert not re.search(r"cost=unknown&amp;model=(gpt-4o|parcel-1)", html)


def test_a_part_larger_than_its_whole_is_told_and_stands_in_no_sum(owner: Person) -> None:
    inspected(owner, WHOLE)
    inspected(owner, WHOLE.replace(b'"cached_tokens":1', b'"cached_tokens":5000'))
    told = words(page(owner))
    assert "1 capture states more cached_tokens than the count that includes them" in told
    assert "cached 1 1 " in told and "prompt 6 2 " in told


def test_it_says_where_the_stated_totals_differ(owner: Person) -> None:
    inspected(owner, WHOLE)
    without = words(page(owner))
    assert "The stated totals of" not in without and "5 tokens" in without
    inspected(owner, WHOLE.replace(b'"total_tokens":5', b'"total_tokens":9'))
    told = words(page(owner))
    assert "10 tokens" in told and "total, as stated" not in told
    assert (
        "The stated totals of 2 captures add up to 14; prompt and completion of 2 add up to 10."
        in told
    )


LONG_NAMES = (
    *("m" * 200, "m" * 201, "m" * 5_000),
    *("模型" * 1_700, "🦜" * 1_250, "a\x01\x00\u202e <b>&=+%"),
)


@pytest.mark.parametrize("by", ["model", "request_model"])
def test_name_of_any_length_and_script_leads_to_its_captures_alone(owner: Person, by: str) -> None:
    for letters in LONG_NAMES:
        for end in ("", "1"):
            named(owner, letters + end)
    links = set(
        re.findall(rf'href="([^"]*captures/[?]{by}=[^"]*)"', page(owner, f"?by={by}&rows=all"))
    )
    assert len(links) == 2 * len(LONG_NAMES)
    for link in links:
        assert len(link) < 8_000
        found = owner.browser().get(link.replace("&amp;", "&")).content.decode()
        assert "so it was left out" not in found
        assert len(set(re.findall(r'class="row-link[^>]*', found))) == 1, link


def test_the_group_without_a_name_leads_to_its_captures_alone(
    owner: Person, subtests: pytest.Subtests
) -> None:
    for model in ("gpt-4o", ""):
        named(owner, model)
    for name in ("flex", ""):
        inspected(owner, stating(name, name))
    inspected(owner, b"nothing")
    Capture.objects.filter(pk=inspected(owner, b"nothing")).update(key=None)
    Capture.objects.update(state=State.RECEIVED, attempt=0, due_at=Now())
    inspect_all()
    accept(owner)
    for by in GROUPINGS:
        with subtests.test(by=by):
            html = page(owner, f"?by={by}&range=24h")
            ((link, captures),) = re.findall(
                r'href="([^"]*[?]missing=[^"]*)" class="faint">not sent</a>.*?</th>\s*<td class="num captures"[^>]*>(\d+)<',
                html,
                re.DOTALL,
            )
            found = owner.browser().get(link.replace("&amp;", "&")).content.decode()
            assert len(set(re.findall(r'class="row-link[^>]*', found))) == int(captures)
            assert "so it was left out" not in found


def test_where_every_capture_has_a_name_no_group_lacks_one(owner: Person) -> None:
    inspected(owner, stating("flex", "fp_1"))
    for by in ("model", "key", "service_tier", "fingerprint"):
        assert "missing=" not in page(owner, f"?by={by}")


@pytest.mark.parametrize("by", ["service_tier", "fingerprint"])
@pytest.mark.parametrize("letters", mostly_thorough([("a b&=+%<b>",), ("flex",), ("模" * 300,)]))
def test_a_tier_and_a_fingerprint_lead_to_their_captures_alone(
    owner: Person, teammate: Person, stranger: Person, by: str, letters: str
) -> None:
    for end, captures in (("", 1), ("1", 2)):
        for _ in range(captures):
            inspected(owner, stating(letters + end, letters + end))
    inspected(owner, WHOLE)
    inspected(stranger, stating(letters, letters))
    links = re.findall(rf'href="([^"]*[?]{by}=[^"]*)" title', page(owner, f"?by={by}"))
    for link, captures in zip(links, (2, 1), strict=True):
        for person in (owner, teammate):
            found = person.browser().get(unescape(link)).content.decode()
            assert "so it was left out" not in found
            assert len(set(re.findall(r'class="row-link[^>]*', found))) == captures
        assert stranger.browser().get(unescape(link)).status_code == 404


def stating(tier: str, fingerprint: str) -> bytes:
    said = json.dumps({"service_tier": tier, "system_fingerprint": fingerprint}).encode()
    return WHOLE.replace(b'"usage"', said[1:-1] + b',"usage"')


def named(person: Person, model: str) -> None:
    """Asked for and answered by this model."""
    name = json.dumps(model).encode()
    url, body = "https://api.example.org/v1", b'{"model":%s}' % name
    request = Request(method="POST", url=url, body=body)
    read = Read(None, WHOLE.replace(b'"gpt-4o"', name))
    exchange = Exchange(reads=(read,), content_type=JSON, request=request)
    accept_arrival(person, Submission(exchange))
    inspect_all()


def test_of_many_finish_reasons_the_most_frequent_are_listed(owner: Person) -> None:
    inspected(owner)
    assert "more finish reasons" not in page(owner) and "rarer" not in page(owner)
    choice = '{"index":%d,"message":{"role":"assistant","content":""},"finish_reason":"end-%d-%d"}'
    for one in range(3):
        choices = ",".join(choice % (at, one, at) for at in range(20))
        head = '{"id":"a","object":"chat.completion","model":"gpt-4o","choices":['
        inspected(owner, f"{head}{choices}]}}".encode())
    html = page(owner)
    assert len(set(re.findall(r"finish_reason=(end-[^&\"]+)", html))) == 50
    assert "11 more finish reasons." in html
    # What the drawing beside it has no room for is folded.
    assert "<summary>42 rarer</summary>" in html


def test_a_period_that_is_none_is_told(owner: Person) -> None:
    html = page(owner, "?since=soon")
    assert "soon is not a time of RFC 3339, a day such as 2026-11-01" in html
    assert html.count('aria-invalid="true" aria-describedby="refused"') == 1
    assert "The last 30 days are shown." in html and 'name="range" value="30d"' in html


def test_a_grouping_that_there_is_not_is_told(owner: Person) -> None:
    inspected(owner)
    html = page(owner, "?by=weather")
    assert "There is no grouping by" in html and "By model" in html
    assert "There is no grouping by" not in page(owner, "?by=vendor")


def test_what_is_typed_counts_for_more_than_the_range_that_was_shown(owner: Person) -> None:
    inspected(owner)
    html = page(owner, "?range=30d&since=5d&until=&by=vendor")
    assert html.count('"slot"') // html.count('class="drawing"') == 6
    assert 'aria-current="true">30d' not in html and 'name="range"' not in html
    html = page(owner, "?range=7d&since=&until=&by=vendor")
    assert 'aria-current="true">7d' in html and 'name="range" value="7d"' in html
    assert 'href="?by=vendor&amp;range=24h"' in html


def test_a_period_of_one_day_names_it_once(owner: Person) -> None:
    day = Capture.objects.get(pk=inspected(owner)).received_at
    until = f"&until={day + timedelta(days=1):%Y-%m-%d}"
    told = words(page(owner, f"?since={day:%Y-%m-%d}{until}"))
    assert re.search(rf"Cost known for 100 % ?, {day.day} {day:%b} ", told)
    assert f"{day:%b} to {day.day} {day:%b} " not in told
    longer = words(page(owner, f"?since={day - timedelta(days=1):%Y-%m-%d}{until}"))
    assert f" to {day.day} {day:%b} " in longer


def test_a_period_may_be_told_by_its_days_or_by_its_end_alone(owner: Person) -> None:
    told = words(page(owner, "?since=2026-11-01&until=2026-11-04"))
    assert "1 Nov 2026 00:00 to 3 Nov 2026 23:59, UTC" in told
    told = words(page(owner, "?until=2026-11-01"))
    assert "2 Oct 2026 00:00 to 31 Oct 2026 23:59, UTC" in told
    refused = owner.get("/api/v1/usage/?range=24h&since=7d")
    assert refused.status == 422 and "Give either range" in refused.json["error"]["message"]


def test_what_is_not_inspected_is_in_no_list_that_a_sum_leads_to_and_is_told(owner: Person) -> None:
    for _ in range(2):
        inspected(owner)
    before = page(owner)
    assert "not inspected" not in before
    accept(owner)
    assert "1 more capture is not analysed yet" in words(page(owner))
    Capture.objects.filter(pk=accept(owner)).update(state=State.QUARANTINED)
    html = page(owner, "?by=key")
    told = "2 more captures are not analysed yet (1 quarantined)"
    assert f"{told} ." in words(html)
    for link in (
        r'class="verdict"><a href="([^"]*)"',
        r'<tr><td><a href="([^"]*)"',
        r'href="([^"]*[?]key=[^"]*)"',
        r'href="([^"]*)">2 more',
    ):
        assert listed(owner, set(re.findall(link, html))) == 2, link


def listed(person: Person, links: set[str]) -> int:
    """Captures; a day may end while a test runs, so that there are several slots."""
    pages = [person.browser().get(unescape(link)).content.decode() for link in links]
    assert not any("so it was left out" in each for each in pages)
    return sum(len(re.findall(r'<tr id="row-', each)) for each in pages)


def test_a_period_in_which_nothing_was_inspected_says_so(owner: Person) -> None:
    Capture.objects.filter(pk=accept(owner)).update(state=State.QUARANTINED)
    told = words(page(owner))
    assert "No analysed captures in this period." in told
    assert "1 capture is not analysed yet (1 quarantined)" in told
    assert "not inspected" not in words(page(owner, "?since=2020-01-01&until=2020-01-03"))


def test_an_empty_period_says_so_once_and_draws_nothing(owner: Person) -> None:
    told = words(page(owner))
    assert "$0 for no captures." in told and "No analysed" not in told
    assert "No data" not in told and "Drift" not in told and "<table" not in page(owner)


@pytest.mark.parametrize("by", ["model", "vendor", "key", "service_tier", "fingerprint"])
def test_the_table_goes_to_other_programs(owner: Person, by: str) -> None:
    inspected(owner)
    client = Client()
    client.force_login(owner.user)
    response = client.get(f"/t/default/usage.csv?by={by}")
    head, row = csv.reader(response.content.decode().splitlines())
    at = head.index("captures")
    assert head[:at] == ([by, "other_service_tier"] if by == "service_tier" else [by])
    assert head[at : at + 4] == ["captures", "streamed", "usage_reported", "prompt_tokens"]
    assert row[at : at + 5] == ["1", "0", "1", "3", "1"]
    named = dict(zip(head, row, strict=True))
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
    assert found["all"]["lower_bound_usd"] == {"sum": None, "captures": 0}
    assert found["all"]["unpriced_items"] == {}
    assert owner.browser().get("/t/default/usage.json?since=soon").status_code == 422


def test_a_model_that_was_asked_for_leads_to_its_captures(owner: Person) -> None:
    for asked in ("gpt-4o", "gpt-4o-mini", None):
        body = b'{"model":"%s"}' % asked.encode() if asked else b"{}"
        request = Request(method="POST", url="https://api.example.org/v1", body=body)
        exchange = Exchange(reads=(Read(None, WHOLE),), content_type=JSON, request=request)
        accept_arrival(owner, Submission(exchange))
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


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0"),
        (99_999, "99,999"),
        (100_000, "100 k"),
        (407_888, "408 k"),
        (999_499, "999 k"),
        (999_500, "1.0 M"),
        (39_500_000, "39.5 M"),
        (99_949_999, "99.9 M"),
        (99_950_000, "100 M"),
        (10**13, "10.0 T"),
    ],
)
def test_large_numbers_are_short(number: int, expected: str) -> None:
    assert short_number(number) == expected


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
    [(0, "$0"), (1, "$0.0000000001"), (1_500_000_000, "$0.15"), (12_345_678 * 10**7, "$12,345.68")],
)
def test_small_money_is_not_rounded_away(ticks: int, expected: str) -> None:
    assert dollars(ticks) == expected


@pytest.mark.parametrize(("days", "usual"), [(0, "24h"), (3, "7d"), (8, "30d"), (40, "30d")])
def test_the_shortest_range_that_holds_all_is_shown(owner: Person, days: int, usual: str) -> None:
    older = accept(owner)
    at = timezone.now() - timedelta(days=days)
    Capture.objects.filter(pk=older).update(received_at=at, called_at=at)
    inspect_all()
    inspected(owner)
    assert f'aria-current="true">{usual}</a>' in page(owner)


def test_the_table_begins_with_the_dearest_and_every_head_sorts(owner: Person) -> None:
    for model, number in ((b"gpt-4o", 1), (b"parcel-1", 3), (b"gpt-4o-mini", 2)):
        for _ in range(number):
            inspected(owner, WHOLE.replace(b"gpt-4o", model))

    def names(query: str = "") -> list[str]:
        table = page(owner, query).partition("<tbody>")[2].partition("</tbody>")[0]
        return re.findall(r'<th scope="row">\s*<a [^>]*>([^<]+)', table)

    assert names() == ["gpt-4o", "gpt-4o-mini", "parcel-1"]
    assert names("?sort=cost") == ["gpt-4o-mini", "gpt-4o", "parcel-1"]
    assert names("?sort=-captures") == ["parcel-1", "gpt-4o-mini", "gpt-4o"]
    assert names("?sort=name") == ["gpt-4o", "gpt-4o-mini", "parcel-1"]
    assert names("?sort=weather") == names()
    assert names("?find=MINI") == ["gpt-4o-mini"]
    html = page(owner, "?range=7d&sort=-captures")
    assert 'aria-sort="descending"' in html
    assert 'href="?range=7d&amp;sort=captures#groups"' in html
    assert "/usage/prices/?model=parcel-1" in html


def test_a_model_whose_captures_are_not_all_complete_says_how_many_and_leads_to_them(
    owner: Person,
) -> None:
    inspected(owner, WHOLE)
    assert "not complete" not in page(owner)
    inspected(owner, WHOLE.replace(b'"finish_reason":"stop"', b'"finish_reason":null'))
    html = page(owner)
    ((link, told),) = re.findall(r'href="([^"]*q=-verdict%3Acomplete[^"]*)">([^<]*)<', html)
    assert told == "50 %" and listed(owner, {link}) == 1


def test_percentiles_of_a_histogram_are_told_as_what_they_are(owner: Person) -> None:
    reads = [Read(1_000, STREAM[:200]), Read(1_000_000, STREAM[200:])]
    accept_arrival(owner, Submission(Exchange.of_reads(reads, SSE)))
    inspect_all()
    assert re.search(r"gpt-4o .* ~\d\.\d\d", words(page(owner)))
    assert "without samples" not in page(owner)


def test_samples_are_said_to_be_left_out(owner: Person) -> None:
    sample = Submission(Exchange.of_body(WHOLE, JSON), tags=("sample",), metadata={"sample": True})
    accept_arrival(owner, sample)
    inspect_all()
    told = words(page(owner))
    assert "$0 for no captures." in told and "Samples are not counted." in told
    inspected(owner)
    assert "for 1 capture" in words(page(owner)) and ", without samples" in page(owner)


def test_prices_are_offered_where_one_would_make_a_cost_known(owner: Person) -> None:
    inspected(owner, CUT)
    assert "unknown" in page(owner) and "Set prices" not in page(owner)
    inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1"))
    assert "Set prices" in page(owner)


def test_a_name_is_searched_for_among_many(owner: Person) -> None:
    inspected(owner)
    assert "Find a name" not in page(owner) and "Find a name" in page(owner, "?find=gpt")


MODEL_ROW = r'<th scope="row">\s*<a href="/t/default/captures/[?]model='


def test_ten_groups_are_listed_until_all_are_asked_for(owner: Person) -> None:
    for number in range(12):
        inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-%d" % number))
    html = page(owner)
    assert len(re.findall(MODEL_ROW, html)) == 10
    assert '<a href="?rows=all#groups">2 more</a>' in html and "Find a name" in html
    whole = page(owner, "?rows=all")
    assert len(re.findall(MODEL_ROW, whole)) == 12
