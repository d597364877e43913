"""A team's own prices: who sees and who sets them, what is refused and where that is told."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db.models.functions import Now

from inspector.archive.models import Inspection
from inspector.dashboard.prices.page import total_words
from inspector.usage import repricing
from inspector.usage.cost import team_prices
from inspector.usage.cost.team_prices import MAX_OVERRIDES
from inspector.usage.models import Price, PriceOverride
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.samples import WHOLE, inspected
from tests.people import Person

PAGE = "/t/default/usage/prices/"
ADD, REPRICE = f"{PAGE}add/", f"{PAGE}reprice/"
VALID = {
    "model": "gpt-4o",
    "match": "exact",
    "vendor": "",
    "starts": "2026-11-01",
    "ends": "",
    "rate_prompt": "2.25",
    "rate_completion": "9",
}


def today() -> date:
    return datetime.now(UTC).date()


def words(html: bytes) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.decode()))


def page(person: Person, query: str = "") -> str:
    response = person.browser().get(f"{PAGE}{query}")
    assert response.status_code == 200
    return words(response.content)


def add(person: Person, **changes: str) -> tuple[int, str]:
    response = person.browser().post(ADD, {**VALID, **changes})
    return response.status_code, words(response.content)


def test_a_price_is_set_and_shown_with_who_made_it(owner: Person, teammate: Person) -> None:
    assert "Your prices" in page(owner)
    assert add(owner) == (302, "")
    for person in (owner, teammate):
        told = page(person)
        assert "gpt-4o prompt $2.25 per million completion $9 per million" in told
        assert "from 2026-11-01" in told
        assert re.search(r"by olga, \d{4}-\d\d-\d\d", told)
    stored = PriceOverride.objects.get()
    assert stored.rates == {"prompt": "2.25", "completion": "9"}


def test_a_zero_has_no_sign(owner: Person) -> None:
    assert add(owner, rate_prompt="-0", rate_completion="-0.00")[0] == 302
    assert "gpt-4o prompt $0 per million completion $0 per million" in page(owner)
    assert PriceOverride.objects.get().rates == {"prompt": "0", "completion": "0"}


def test_who_reads_sees_prices_and_no_forms(owner: Person, teammate: Person) -> None:
    add(owner)
    for act in ("Set a price", "End it", "At the rates of the day"):
        assert act in page(owner)
        assert act not in page(teammate)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": ""}, "This field is required."),
        ({"model": "m" * 201}, "at most 200 characters"),
        ({"model": "a\0b"}, "Null characters are not allowed."),
        ({"starts": ""}, "This field is required."),
        ({"starts": "yesterday"}, "Enter a valid date."),
        ({"starts": "2026-02-30"}, "Enter a valid date."),
        ({"ends": "2026-11-01"}, "It would end before it begins."),
        ({"ends": "2026-10-01"}, "It would end before it begins."),
        ({"rate_prompt": "", "rate_completion": ""}, "Enter at least one rate; 0 is allowed."),
        ({"rate_prompt": "-1"}, "greater than or equal to 0"),
        ({"rate_prompt": "NaN"}, "Enter a number."),
        ({"rate_prompt": "inf"}, "Enter a number."),
        ({"rate_prompt": "1e400"}, "less than or equal to 100000"),
        ({"rate_prompt": "1e-400"}, "no more than 20 digits in total"),
        ({"rate_prompt": "1e99999999999999999999"}, "Enter a number."),
        ({"rate_prompt": "100001"}, "less than or equal to 100000"),
        ({"rate_prompt": "0.0000000001"}, "no more than 9 decimal places"),
        ({"rate_prompt": "two"}, "Enter a number."),
        ({"vendor": "nobody"}, "nobody is not one of the available choices."),
        ({"match": "regex"}, "regex is not one of the available choices."),
        ({"tier": "flex"}, "flex is not one of the available choices."),
        ({"tier": "one"}, "Name the tier."),
        ({"tier": "one", "tier_name": "default"}, "This name means the standard tier."),
        ({"tier_name": "flex"}, "or leave this empty."),
        ({"tier": "any", "tier_name": "flex"}, "or leave this empty."),
        ({"tier": "one", "tier_name": "t" * 64}, "at most 63 characters"),
    ],
)
def test_what_is_no_price_is_refused_in_place(
    owner: Person, changes: dict[str, str], told: str
) -> None:
    status, said = add(owner, **changes)
    assert status == 422
    assert told in said
    assert not PriceOverride.objects.exists()


def test_zero_is_a_rate(owner: Person) -> None:
    assert add(owner, rate_prompt="0", rate_completion="")[0] == 302
    assert PriceOverride.objects.get().rates == {"prompt": "0"}


@pytest.mark.parametrize(
    ("tier", "name", "stored", "told"),
    [
        ("", "", "standard", "gpt-4o prompt $2.25"),
        ("any", "", None, "gpt-4o any service tier prompt $2.25"),
        ("one", "flex", "flex", "gpt-4o service tier flex prompt $2.25"),
        ("one", "<b>", "<b>", "gpt-4o service tier &lt;b&gt; prompt $2.25"),
    ],
)
def test_a_price_is_of_the_standard_tier_of_another_or_of_any(
    owner: Person, tier: str, name: str, stored: str | None, told: str
) -> None:
    assert add(owner, tier=tier, tier_name=name)[0] == 302
    assert PriceOverride.objects.get().tier == stored
    assert told in page(owner)
    (price,) = owner.get("/api/v1/usage/prices/").json["prices"]
    assert price["service_tier"] == stored


def test_a_price_of_a_tier_is_that_of_its_answers(owner: Person) -> None:
    add(owner, tier="one", tier_name="flex")
    inspected(owner, WHOLE.replace(b'"created"', b'"service_tier":"flex","created"'))
    inspected(owner)
    tables = set(Price.objects.values_list("table", "computed_usd"))
    assert tables == {
        ("override of 2026-11-01 (gpt-4o, tier flex)", "0.00002475"),
        ("genai-prices 0.2.3", "0.00002625"),
    }


# -- where two overlap -----------------------------------------------------------------------------


def agreed(person: Person, **changes: str) -> tuple[int, str]:
    """As somebody does who reads what is said and sends the form again."""
    response = person.browser().post(ADD, {**VALID, **changes})
    found = re.search(r'name="confirmed_overlaps" value="([^"]+)"', response.content.decode())
    assert response.status_code == 200 and found
    return add(person, **changes, confirmed_overlaps=found[1])


def test_a_price_that_overlaps_is_told_before_it_is_set(owner: Person, teammate: Person) -> None:
    add(owner)
    status, said = add(owner, starts="2026-12-01", rate_prompt="3")
    assert status == 200
    assert "It overlaps with another price:" in said
    assert "From 2026-12-01 on it replaces gpt-4o, from 2026-11-01" in said
    assert PriceOverride.objects.count() == 1
    assert agreed(owner, starts="2026-12-01", rate_prompt="3")[0] == 302
    assert PriceOverride.objects.count() == 2
    for person in (owner, teammate):
        told = page(person)
        assert told.count("From 2026-12-01 on the later one applies: gpt-4o, from 2026-12-01") == 1
        assert "from 2026-11-01 From 2026-12-01 on" in told


def test_a_price_that_would_never_hold_says_so(owner: Person) -> None:
    add(owner, starts="2026-11-05")
    _, said = add(owner, starts="2026-11-01", ends="2026-11-20")
    assert "From 2026-11-05 to 2026-11-19 the later one applies: gpt-4o, from 2026-11-05" in said


def test_what_was_agreed_to_is_not_something_else(owner: Person) -> None:
    add(owner)
    response = owner.browser().post(ADD, {**VALID, "starts": "2026-12-01"})
    found = re.search(r'name="confirmed_overlaps" value="([^"]+)"', response.content.decode())
    assert found
    status, said = add(owner, starts="2026-12-02", confirmed_overlaps=found[1])
    assert status == 200 and "From 2026-12-02 on it replaces" in said
    assert add(owner, starts="2026-12-01", confirmed_overlaps="on")[0] == 200


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"vendor": "azure"}, "the more specific one applies: gpt-4o, of Azure, from 2026-11-01"),
        ({"model": "gpt", "match": "prefix"}, None),
        ({"tier": "any"}, None),
    ],
)
def test_the_nearer_of_two_is_told_where_the_other_stands(
    owner: Person, changes: dict[str, str], told: str | None
) -> None:
    add(owner)
    assert agreed(owner, **changes)[0] == 302
    wider = told or "the more specific one applies: gpt-4o, from 2026-11-01"
    assert page(owner).count(f"From 2026-11-01 on, for answers that match both, {wider}") == 1


@pytest.mark.parametrize(
    "changes",
    [{"model": "gpt-4o-mini"}, {"tier": "one", "tier_name": "flex"}, {"starts": "2026-12-01"}],
)
def test_prices_that_never_meet_are_set_at_once(owner: Person, changes: dict[str, str]) -> None:
    add(owner, ends="2026-12-01")
    assert add(owner, **changes)[0] == 302
    assert "one holds:" not in page(owner)


def test_of_many_overlaps_the_first_are_told(owner: Person) -> None:
    row = None
    for number in range(1, 6):
        add(owner, starts=f"2026-11-0{number}", ends=f"2026-11-0{number + 1}")
        row = PriceOverride.objects.latest("pk")
    assert row is not None
    _, said = add(owner, starts="2026-10-01")
    assert said.count("the later one applies") == 3 and "And 2 more" in said


def test_who_agrees_agrees_to_what_is_not_shown_too(owner: Person) -> None:
    for number in range(1, 6):
        add(owner, starts=f"2026-11-0{number}", ends=f"2026-11-0{number + 1}")
    response = owner.browser().post(ADD, {**VALID, "starts": "2026-10-01"})
    found = re.search(r'name="confirmed_overlaps" value="([^"]+)"', response.content.decode())
    assert found
    PriceOverride.objects.filter(starts="2026-11-05").update(ends="2026-11-20")
    status, said = add(owner, starts="2026-10-01", confirmed_overlaps=found[1])
    assert status == 200 and "And 2 more" in said
    assert agreed(owner, starts="2026-10-01")[0] == 302


def test_what_was_entered_stays_where_it_was_refused(owner: Person) -> None:
    response = owner.browser().post(ADD, {**VALID, "model": "our-own", "rate_cached": "-1"})
    assert b'value="our-own"' in response.content
    assert b'value="2.25"' in response.content


@pytest.mark.thorough
def test_a_team_has_a_bounded_number_of_prices(owner: Person) -> None:
    add(owner)
    row = PriceOverride.objects.get()
    for _ in range(MAX_OVERRIDES - 1):
        row.pk = None
        row.save()
    status, said = add(owner, model="our-own")
    assert status == 422
    assert f"A team has at most {MAX_OVERRIDES} custom prices." in said


# -- ending ----------------------------------------------------------------------------------------


def end(person: Person, day: str) -> tuple[int, str]:
    path = f"{PAGE}{PriceOverride.objects.get().pk}/end/"
    response = person.browser().post(path, {"day": day})
    return response.status_code, words(response.content)


def test_a_price_is_ended_and_says_by_whom(owner: Person) -> None:
    add(owner)
    assert end(owner, "2026-11-10")[0] == 302
    told = page(owner)
    assert "2026-11-01 to 2026-11-09" in told
    assert "ended by olga" in told
    assert PriceOverride.objects.get().ends == date(2026, 11, 10)


def test_a_price_that_ends_when_it_begins_held_on_no_day(owner: Person) -> None:
    add(owner)
    assert end(owner, "2026-11-01")[0] == 302
    assert "never" in page(owner)


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("2026-10-31", "It begins after this day."),
        ("2027-01-02", "It ends before this day already."),
        ("", "This field is required."),
        ("soon", "Enter a valid date."),
    ],
)
def test_an_end_that_cannot_be_is_refused_in_place(owner: Person, day: str, told: str) -> None:
    add(owner, ends="2027-01-01")
    status, said = end(owner, day)
    assert status == 422
    assert told in said
    assert PriceOverride.objects.get().ends == date(2027, 1, 1)


def test_a_price_that_is_ended_recalculates_the_days_after_it(owner: Person) -> None:
    add(owner)
    Work.objects.all().delete()
    assert end(owner, "2026-11-10")[0] == 302
    task = repricing.task_of(Work.objects.get().request)
    assert task.since.date() == date(2026, 11, 10)


def test_a_price_that_is_saved_while_another_is_recalculated_says_so(owner: Person) -> None:
    inspected(owner)
    browser = owner.browser()
    browser.post(ADD, VALID)
    later = browser.post(ADD, VALID | {"model": "another"}, follow=True)
    assert "Saved. Another recalculation runs; ask for these days when it is done." in words(
        later.content
    )


def test_who_sets_a_price_is_told_how_many_captures_it_will_recalculate(
    owner: Person, subtests: pytest.Subtests
) -> None:
    inspected(owner)
    inspected(owner)
    inspected(owner, WHOLE.replace(b"gpt-4o", b"gpt-4o-mini"))
    inspected(owner, WHOLE.replace(b'"usage":', b'"service_tier":"flex","usage":'))
    both, three = "Save for 2 captures", "Save for 3 captures"
    for query, button in (
        ("", "Save"),
        ("?model=gpt-4o", both),
        (f"?model=gpt-4o&starts={today()}", both),
        ("?model=gpt-4o&starts=soon", both),
        ("?model=gpt-4o&match=prefix", three),
        ("?model=gpt-4o&tier=any", three),
        ("?model=gpt-4o&tier=one&tier_name=flex", "Save for 1 capture"),
        ("?model=gpt-4o&vendor=azure", "Save"),
        ("?model=another", "Save"),
        ("?model=gpt-4o&starts=2025-01-01&ends=2025-01-02", "Save"),
        ("?model=gpt-4o&starts=2999-01-01", "Save"),
    ):
        with subtests.test(query):
            shown = owner.browser().get(f"{PAGE}{query}").content.decode()
            told = re.search(r'<button class="main">.*?</button>', shown, re.DOTALL)
            assert told and words(told[0].encode()).strip() == button


def test_a_price_of_a_model_begins_on_the_first_day_that_lacks_one(owner: Person) -> None:
    unpriced = WHOLE.replace(b"gpt-4o", b"parcel-1")
    for day, body in ((3, WHOLE), (5, unpriced), (8, unpriced)):
        at = datetime(2026, 11, day, 23, 59, tzinfo=UTC)
        Inspection.objects.filter(capture=inspected(owner, body)).update(called_at=at)
    for query, first in (
        ("?model=parcel-1", "2026-11-05"),
        ("?model=parcel-1&starts=2026-11-07", "2026-11-07"),
        ("?model=gpt-4o", today().isoformat()),
        ("?model=another", today().isoformat()),
    ):
        shown = owner.browser().get(f"{PAGE}{query}").content.decode()
        assert re.search(rf'name="starts" value="{first}"', shown), query


def test_a_form_that_is_refused_tells_of_its_own_days_how_many_captures_they_have(
    owner: Person,
) -> None:
    inspected(owner)
    assert "Save for 1 capture" in add(owner, rate_prompt="two")[1]
    assert "Save for" not in add(owner, starts="2999-01-01", rate_prompt="two")[1]
    assert "Save for" not in add(owner, starts="2026-02-30")[1]


def test_of_very_many_captures_the_number_is_cut(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repricing, "MAX_COUNTED", 1)
    inspected(owner)
    inspected(owner)
    shown = owner.browser().get(f"{PAGE}?model=gpt-4o").content
    assert "Save for 1+ captures" in words(shown)


# -- repricing -------------------------------------------------------------------------------------


def test_a_price_that_is_saved_recalculates_what_it_is_for(owner: Person) -> None:
    inspected(owner)
    browser = owner.browser()
    response = browser.post(ADD, VALID, follow=True)
    assert b'name="first" value="2026-11-01"' in response.content
    assert "Saved: 1 capture. Recalculating costs …" in words(response.content)
    assert "Running: 0 of 1 capture recalculated, 0 costs changed." in page(owner)
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    while run_one(repricing.KIND):
        pass
    told = page(owner)
    assert (
        "Done: 1 capture recalculated, 1 cost changed. Known cost: $0.00002625 (1 capture) → $0.00002475 (1 capture)"
        in told
    )
    assert "Started by olga" in told
    assert Price.objects.get().table == "override of 2026-11-01 (gpt-4o)"


def test_who_set_a_price_is_led_back_to_where_it_was_missed(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE.replace(b"gpt-4o", b"our-own"))
    shown = owner.page(f"/captures/{capture_id}/")
    [asked] = re.findall(r'href="([^"]+)">Set a\s+price', shown)
    assert asked == f"{PAGE}?model=our-own&amp;back={capture_id}"
    form = owner.page(asked.replace("&amp;", "&"))
    assert f'name="back" value="{capture_id}"' in form
    for back, place in (
        (str(capture_id), f'Back to <a href="/captures/{capture_id}/">the capture</a>.'),
        ("usage", 'Back to <a href="/t/default/usage/">Usage</a>.'),
        ("https://evil.example/", ""),
    ):
        price = VALID | {"model": f"our-{back}", "back": back}
        saved = owner.browser().post(ADD, price, follow=True).content.decode()
        assert place in saved and 'href="https://evil' not in saved
        assert ("Back to" in saved) == bool(place)


def test_a_sum_is_told_in_four_decimals_and_a_small_one_exactly() -> None:
    assert total_words(Decimal("2.3005799475"), 208, 1) == "at least $2.3006 (208 captures)"
    assert total_words(Decimal("0.00002625"), 1, 0) == "$0.00002625 (1 capture)"


def test_sum_of_a_repricing_is_the_least_where_something_billed_is_not_in_it(owner: Person) -> None:
    inspected(owner)
    searched = WHOLE.replace(b'"usage":{', b'"usage":{"num_search_queries":3,')
    inspected(owner, searched.replace(b"gpt-4o", b"our-own"))
    add(owner, model="our-own")
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    while run_one(repricing.KIND):
        pass
    assert "$0.00002625 (1 capture) → at least $0.000051 (2 captures)" in page(owner)


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("2026-11-02", "2026-11-01", "The last day is before the first."),
        ("", "2026-11-01", "This field is required."),
        ("2026-11-01", "9999-12-31", "This is the last possible day."),
        ("1e3", "2026-11-01", "Enter a valid date."),
    ],
)
def test_days_that_are_none_are_refused_in_place(
    owner: Person, first: str, last: str, told: str
) -> None:
    response = owner.browser().post(REPRICE, {"first": first, "last": last})
    assert response.status_code == 422
    assert told in words(response.content)
    assert not Work.objects.exists()


def test_while_one_is_under_way_no_second_begins(owner: Person) -> None:
    sent = {"first": "2026-11-01", "last": "2026-11-30"}
    assert owner.browser().post(REPRICE, sent).status_code == 302
    refused = owner.browser().post(REPRICE, sent)
    assert refused.status_code == 409
    assert "A recalculation is running" in words(refused.content)
    assert Work.objects.count() == 1


def test_an_address_with_a_day_that_is_none_is_the_page(owner: Person) -> None:
    for query in ("?since=", "?since=soon", "?since=%00", "?since=20261101"):
        assert "Recalculate costs" in page(owner, query)


# -- on a capture's page ---------------------------------------------------------------------------


def test_a_receipt_holds_by_the_teams_price_and_says_what_the_sums_have(owner: Person) -> None:
    capture_id = inspected(owner)
    browser = owner.browser()
    assert "In the sums" not in words(browser.get(f"/captures/{capture_id}/").content)
    add(owner)
    told = words(browser.get(f"/captures/{capture_id}/").content)
    assert "your price from 2026-11-01 (gpt-4o)" in told
    assert "no service tier" not in told
    running = "Costs are being recalculated; the usage page counts the former one until then."
    assert running in told and "Recalculate" not in told
    Work.objects.all().delete()
    told = words(browser.get(f"/captures/{capture_id}/").content)
    assert "The usage page counts $0.00002625 (genai-prices 0.2.3). Recalculate" in told


def test_a_cost_that_the_sums_do_not_know_is_told(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE.replace(b"gpt-4o", b"our-own"))
    add(owner, model="our", match="prefix")
    Work.objects.all().delete()
    told = words(owner.browser().get(f"/captures/{capture_id}/").content)
    assert (
        "The usage page counts its cost as unknown (genai-prices 0.2.3: no price for the model)."
        in told
    )


# -- for other programs ----------------------------------------------------------------------------


def test_prices_are_told_over_the_api(owner: Person, teammate: Person, stranger: Person) -> None:
    add(owner, match="prefix", vendor="azure", ends="2026-12-01")
    for person in (owner, teammate):
        found = person.get("/api/v1/usage/prices/").json
        (price,) = found["prices"]
        assert found["table"] == "genai-prices 0.2.3"
        assert price["rates"] == {"prompt": "2.25", "completion": "9"}
        assert (price["vendor"], price["model"], price["is_prefix"]) == ("azure", "gpt-4o", True)
        assert (price["starts"], price["ends"]) == ("2026-11-01", "2026-12-01")
        assert (price["made_by"], price["ended_at"]) == ("user olga", None)
    assert stranger.get("/api/v1/usage/prices/").json["prices"] == []
    assert owner.get("/api/v1/usage/prices/?model=x").status == 422


def test_the_door_is_the_only_way_to_a_teams_prices(owner: Person, stranger: Person) -> None:
    add(owner)
    assert len(team_prices.for_principal(owner.principal).all()) == 1
    assert team_prices.for_principal(stranger.principal).all() == ()
    assert team_prices.overrides_of([stranger.team.pk]) == {stranger.team.pk: ()}


# -- while it is under way -------------------------------------------------------------------------

LIVE = f"{PAGE}live/"


def live(person: Person) -> str:
    return person.page(LIVE)


def test_the_page_follows_a_pricing_until_it_is_through(owner: Person, teammate: Person) -> None:
    inspected(owner)
    assert 'id="live"' not in owner.browser().get(PAGE).content.decode()
    days = today() - timedelta(days=1), today() + timedelta(days=1)
    first, last = (day.isoformat() for day in days)
    owner.browser().post(REPRICE, {"first": first, "last": last})
    for person in (owner, teammate):
        html = person.browser().get(PAGE).content.decode()
        assert f'<div id="live" hx-get="{LIVE}"' in html
        assert "Refresh" in re.findall(r"<noscript>(.*?)</noscript>", html)[0]
        assert html.count('<progress value="0" max="1"') == 1
        answer = live(person)
        assert 'id="live"' in answer and 'id="repricings" hx-swap-oob="true"' in answer
        assert "Running: 0 of 1" in answer
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    while run_one(repricing.KIND):
        pass
    answer = live(owner)
    assert "Done: 1 capture" in answer and 'id="live"' not in answer and "<progress" not in answer
    assert 'hx-swap-oob="innerHTML:#repriced">Costs are recalculated.' in answer
    html = owner.browser().get(PAGE).content.decode()
    assert 'id="live"' not in html and "<noscript>" not in html
