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
from tests.archive.samples import WHOLE, inspected
from tests.browser.watching import assert_accessible
from tests.people import Person

PRICES = "/t/default/usage/prices/"
OURS = Override(
    "gpt-4o", {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(3)}, date(2026, 1, 1)
)


@pytest.mark.thorough
def test_pricing_anew_is_followed_until_it_is_through(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    assert team_prices.for_principal(owner.principal).add(OURS) is None
    now = datetime.now(UTC)
    assert repricing.for_principal(owner.principal).request(now - timedelta(days=1), now)
    owner_page.goto(PRICES)
    told = owner_page.locator("#repricings")
    expect(told).to_contain_text("Running: 0 of 1")
    assert_accessible(owner_page)
    owner_page.locator("[name=model]").fill("not sent yet")
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    while run_one(repricing.KIND):
        pass
    expect(told).to_contain_text("Done: 1 capture recalculated, 1 cost changed")
    expect(owner_page.locator("#repriced")).to_have_text("Costs are recalculated.")
    expect(owner_page.locator("#live")).to_have_count(0)
    expect(owner_page.locator("[name=model]")).to_have_value("not sent yet")


def test_a_price_that_overlaps_is_agreed_to_where_it_is_told(
    owner_page: Page, owner: Person
) -> None:
    assert team_prices.for_principal(owner.principal).add(OURS) is None
    owner_page.goto(PRICES)
    owner_page.locator("[name=model]").fill("gpt-4o")
    owner_page.locator("[name=starts]").fill("2026-12-01")
    owner_page.locator("[name=rate_prompt]").fill("2")
    owner_page.get_by_role("button", name="Save").click()
    agree = owner_page.get_by_label("Set it anyway")
    expect(agree).to_be_focused()
    expect(owner_page.get_by_role("alert")).to_contain_text("it replaces gpt-4o")
    assert_accessible(owner_page)
    agree.press("Space")
    owner_page.get_by_role("button", name="Save").click()
    expect(owner_page.locator(".yields")).to_contain_text(
        "From 2026-12-01 on the later one applies"
    )
    assert PriceOverride.objects.count() == 2


def test_the_button_tells_the_captures_of_the_days_that_were_chosen(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner)
    owner_page.goto(f"{PRICES}?model=gpt-4o")
    expect(owner_page.locator("[name=rate_prompt]")).to_be_focused()
    save = owner_page.get_by_role("button", name="Save")
    expect(save).to_have_text("Save for 1 capture")
    owner_page.locator("[name=starts]").fill("2999-01-01")
    owner_page.locator("[name=rate_prompt]").fill("2")
    expect(save).to_have_text("Save")
    owner_page.locator("[name=starts]").fill("2026-01-01")
    owner_page.locator("[name=rate_prompt]").fill("3")
    expect(save).to_have_text("Save for 1 capture")
    owner_page.locator("[name=model]").fill("another")
    owner_page.locator("[name=rate_prompt]").fill("4")
    expect(save).to_have_text("Save")
    owner_page.locator("[name=model]").fill("gpt-4o")
    owner_page.locator("[name=rate_prompt]").fill("5")
    expect(save).to_have_text("Save for 1 capture")
    save.click()
    expect(owner_page.locator(".saved")).to_have_text("Saved: 1 capture. Recalculating costs …")
    assert_accessible(owner_page)


def test_on_a_phone_what_can_be_done_about_an_unknown_cost_is_in_sight(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner, WHOLE.replace(b"gpt-4o", b"a-long-name-of-a-parcel-model-2026-11-29"))
    inspected(owner, WHOLE.replace(b'"prompt_tokens":3', b'"prompt_tokens":27186'))
    owner_page.set_viewport_size({"width": 390, "height": 800})
    owner_page.goto("/t/default/usage/")
    link = owner_page.get_by_role("link", name="Set a price", exact=True)
    box = link.bounding_box()
    assert box is not None and box["x"] + box["width"] <= 390
    link.click()
    expect(owner_page.locator("[name=rate_prompt]")).to_be_focused()
