"""The page on which a service is connected, once a key was made on it."""

from playwright.sync_api import Page, expect

from inspector.archive.intake.submission import Submission, accept
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import for_key
from tests.archive.samples import WHOLE, inspect_all
from tests.browser.watching import look
from tests.people import Person


def test_what_to_check_if_nothing_arrives_goes_once_something_has(
    owner_page: Page, owner: Person
) -> None:
    look(owner_page, "/t/default/connect/?with=curl")
    owner_page.locator("#send-name").fill("checkout-api")
    owner_page.locator("#send").get_by_role("button", name="Create key").click()
    expect(owner_page.locator("#checks")).to_have_attribute("open", "")
    key = owner_page.locator("#send pre").filter(has_text="ri_").first.inner_text()
    accept(
        for_key("ri_" + key.partition("ri_")[2].split()[0].strip("'\"")),
        Submission(Exchange.of_body(WHOLE)),
    )
    inspect_all()
    expect(owner_page.locator(".arrived")).to_contain_text("has arrived")
    expect(owner_page.locator("#checks")).to_be_hidden()
