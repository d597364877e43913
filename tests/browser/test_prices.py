"""Prices of a team: one that overlaps is agreed to, and pricing anew is followed."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Page, expect

from inspector.usage import repricing
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.models import PriceOverride
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.samples import inspected
from tests.browser.watching import assert_accessible, sign_in
from tests.people import Person

PRICES = "/t/default/usage/prices/"
OURS = Override(
    "gpt-4o", {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(3)}, date(2026, 1, 1)
)


@pytest.fixture
def prices(page: Page, owner: Person, live_server) -> Page:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    return page


@pytest.mark.thorough
def test_pricing_anew_is_followed_until_it_is_through(prices: Page, owner: Person) -> None:
    inspected(owner)
    assert team_prices.for_principal(owner.principal).add(OURS) is None
    now = datetime.now(UTC)
    assert repricing.for_principal(owner.principal).request(now - timedelta(days=1), now)
    prices.goto(PRICES)
    told = prices.locator("#repricings")
    expect(told).to_contain_text("Running: 0 of 1")
    assert_accessible(prices)
    prices.locator("[name=model]").fill("not sent yet")
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    while run_one(repricing.KIND):
        pass
    expect(told).to_contain_text("Done: 1 capture, 1 changed")
    expect(prices.locator("#repriced")).to_have_text("Costs are recalculated.")
    expect(prices.locator("#live")).to_have_count(0)
    expect(prices.locator("[name=model]")).to_have_value("not sent yet")


def test_a_price_that_overlaps_is_agreed_to_where_it_is_told(prices: Page, owner: Person) -> None:
    assert team_prices.for_principal(owner.principal).add(OURS) is None
    prices.goto(PRICES)
    prices.locator("[name=model]").fill("gpt-4o")
    prices.locator("[name=starts]").fill("2026-12-01")
    prices.locator("[name=rate_prompt]").fill("2")
    prices.get_by_role("button", name="Save and recalculate").click()
    agree = prices.get_by_label("Set it anyway")
    expect(agree).to_be_focused()
    expect(prices.get_by_role("alert")).to_contain_text("it replaces gpt-4o")
    assert_accessible(prices)
    agree.press("Space")
    prices.get_by_role("button", name="Save and recalculate").click()
    expect(prices.locator(".yields")).to_contain_text("From 2026-12-01 on the later one applies")
    assert PriceOverride.objects.count() == 2
