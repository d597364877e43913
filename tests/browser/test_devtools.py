"""The panel for DevTools, loaded into a Chromium of its own: what it sees, keeps and never sends."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserType, Page, expect

from inspector.teams.access import INGEST
from inspector.teams.keys import create_api_key
from inspector.version import VERSION
from tests.archive.samples import inspect_all
from tests.browser.closed_door import closed_door
from tests.browser.extension import DevToolsPanel, Extension, extension
from tests.browser.streaming_site import PIECES, StreamingSite, streaming_site
from tests.browser.watching import assert_accessible_and_fits
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
PROVIDER_KEY = "sk-proj-0123456789abcdefABCDEF"
BODY = b"".join(PIECES)
PAGE = f"""<!doctype html><title>Shop</title><script>
  const asking = (path, more) => fetch(path, {{
    method: "POST",
    headers: {{ authorization: "Bearer {PROVIDER_KEY}" }},
    body: '{{"model":"m-1","stream":true}}',
    ...more,
  }});
  window.ask = async (path = "/v1/chat/completions") => (await asking(path)).text();
</script>"""


@pytest.fixture(scope="module")
def installed(
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Extension]:
    folder = tmp_path_factory.mktemp("extension")
    with extension(browser_type, browser_type_launch_args, folder) as found:
        found.allow("http://127.0.0.1/*", "http://localhost/*")
        yield found


@dataclass(frozen=True, slots=True)
class Bench:
    """A page of a site, the panel for it, and the key with which that keeps."""

    site: StreamingSite
    shop: Page
    panel: Page
    inspector: str
    key: str

    def save(self, address: str, key: str) -> None:
        if not self.panel.locator("#address").is_visible():
            self.panel.click("#settings > summary")
        self.panel.fill("#address", address)
        self.panel.fill("#key", key)
        self.panel.click("text=Save")

    def watch(self) -> None:
        self.panel.click("#watch")
        expect(self.panel.locator("#site")).to_have_text(f"Watching {self.site.origin}.")

    def ask(self, path: str = "/v1/chat/completions") -> Any:
        self.site.go.release(len(PIECES))
        return self.shop.evaluate("(path) => ask(path)", path)

    def cells(self, name: str) -> Any:
        return self.panel.locator(f"td.{name}")


@pytest.fixture
def bench(installed: Extension, live_server: Any, owner: Person, settings: Any) -> Iterator[Bench]:
    settings.ORIGIN = live_server.url
    key = create_api_key(owner.team, "panel", [INGEST])
    with streaming_site() as site:
        for _ in PIECES:
            site.go.acquire()
        site.page = PAGE
        shop = installed.opened(f"{site.origin}/")
        panel = installed.panel_of(shop)
        yield Bench(site, shop, panel, live_server.url, key)
        site.go.release(1_000)
        installed.forget()


def captured(owner: Person) -> list[dict[str, Any]]:
    inspect_all()
    rows = owner.get("/api/v1/captures/").json["captures"]
    return [owner.get(f"/api/v1/captures/{row['id']}/").json for row in rows]


def test_a_stream_is_listed_read_by_read_while_it_comes_and_kept_by_a_click(
    bench: Bench, owner: Person
) -> None:
    bench.save(bench.inspector, bench.key)
    expect(bench.panel.locator("#place-words")).to_have_text("Saved. The installation answers.")
    bench.watch()
    bench.shop.evaluate("void (window.asked = ask())")
    expect(bench.cells("answer")).to_have_text("200, running")
    for number in range(1, len(PIECES) + 1):
        bench.site.go.release()
        words = f"{number} read" if number == 1 else f"{number} reads"
        expect(bench.cells("reads").locator("summary")).to_have_text(words)
    assert bench.shop.evaluate("asked") == BODY.decode()
    assert bench.site.authorizations == [f"Bearer {PROVIDER_KEY}"]
    expect(bench.cells("answer")).to_have_text("200")
    expect(bench.cells("verdict")).to_have_text("not kept")
    assert captured(owner) == []
    bench.panel.get_by_role("button", name="Keep", exact=True).click()
    expect(bench.cells("verdict")).to_contain_text("complete")
    (found,) = captured(owner)
    assert owner.get(f"/api/v1/captures/{found['id']}/raw/").body == BODY
    assert found["analysis"]["measured_by"] == "client"
    assert PROVIDER_KEY not in json.dumps(found)
    bench.cells("reads").locator("summary").click()
    times = owner.get(f"/api/v1/captures/{found['id']}/timeline/").json["reads"]["at_us"]
    expect(bench.cells("reads").locator("li")).to_have_text(
        [f"{at / 1e6:.3f} s, {len(piece)} bytes" for at, piece in zip(times, PIECES, strict=True)]
    )


def test_a_call_is_opened_in_the_inspector_and_kept_for_that(
    bench: Bench, installed: Extension, owner: Person
) -> None:
    bench.save(bench.inspector, bench.key)
    bench.watch()
    bench.ask()
    with installed.context.expect_page() as opened:
        bench.panel.get_by_role("button", name="Keep and open").click()
    (found,) = captured(owner)
    expect(opened.value).to_have_url(re.compile(found["id"]))


def test_what_is_kept_without_a_click_is_kept_by_a_rule_for_one_origin(
    bench: Bench, owner: Person
) -> None:
    bench.save(bench.inspector, bench.key)
    bench.watch()
    bench.ask()
    expect(bench.cells("verdict")).to_have_text("not kept")
    bench.panel.get_by_label(f"Keep every call of {bench.site.origin}").check()
    bench.ask()
    expect(bench.cells("verdict").first).to_contain_text("complete")
    assert len(captured(owner)) == 1
    bench.panel.get_by_role("button", name="Keep all 1").click()
    expect(bench.cells("verdict").last).to_contain_text("complete")
    assert len(captured(owner)) == 2


def test_rule_rests_after_a_refusal_until_settings_are_saved(bench: Bench, owner: Person) -> None:
    bench.save(bench.inspector, "ri_unknown")
    bench.watch()
    bench.panel.get_by_label(f"Keep every call of {bench.site.origin}").check()
    bench.ask()
    expect(bench.cells("verdict")).to_have_text("The installation does not know the key.")
    bench.ask()
    expect(bench.cells("verdict").first).to_have_text("not kept")
    expect(bench.panel.locator("#notice")).to_contain_text("the rule rests")
    bench.save(bench.inspector, bench.key)
    expect(bench.panel.locator("#place-words")).to_have_text("Saved. The installation answers.")
    bench.ask()
    expect(bench.cells("verdict").first).to_contain_text("complete")
    assert len(captured(owner)) == 1


def test_only_what_asks_a_model_or_is_answered_with_a_stream_is_listed(bench: Bench) -> None:
    bench.watch()
    bench.shop.evaluate("fetch('/').then((answer) => answer.text())")
    bench.ask("/conversation")
    expect(bench.cells("call")).to_have_count(1)
    expect(bench.cells("call")).to_contain_text(f"POST {bench.site.origin[7:]}/conversation")
    expect(bench.cells("call")).to_contain_text("m-1")


def test_a_page_that_goes_away_in_a_stream_leaves_what_it_had(bench: Bench) -> None:
    bench.watch()
    bench.shop.evaluate("void ask().catch(() => {})")
    bench.site.go.release()
    expect(bench.cells("reads").locator("summary")).to_have_text("1 read")
    bench.shop.reload()
    expect(bench.cells("answer")).to_have_text("200, the page ended first")
    # What the site still has for the call that ended.
    bench.site.go.release(len(PIECES) - 1)
    bench.ask()
    expect(bench.cells("call")).to_have_count(2)


def test_a_site_that_is_left_is_watched_no_more(bench: Bench) -> None:
    bench.watch()
    bench.panel.get_by_role("button", name="Stop watching").click()
    expect(bench.panel.locator("#site")).to_have_text(f"{bench.site.origin} is not watched.")
    bench.ask()
    bench.shop.reload()
    assert "native code" in bench.shop.evaluate("fetch.toString()")
    expect(bench.cells("call")).to_have_count(0)


def test_a_page_without_a_panel_records_nothing(bench: Bench, installed: Extension) -> None:
    bench.watch()
    bench.panel.close()
    bench.ask()
    panel = installed.panel_of(bench.shop)
    expect(panel.locator("#site")).to_have_text(f"Watching {bench.site.origin}.")
    bench.ask()
    expect(panel.locator("td.call")).to_have_count(1)


def test_what_stands_in_the_way_of_keeping_is_said(bench: Bench, owner: Person) -> None:
    keep = bench.panel.get_by_role("button", name="Keep", exact=True)
    bench.watch()
    bench.ask()
    keep.click()
    expect(bench.cells("verdict")).to_have_text("No address and key are set: see Settings.")
    words = bench.panel.locator("#place-words")
    bench.save("ftp://inspector.example", "ri_x")
    expect(words).to_have_text("An address is such as https://inspector.example.")
    bench.save(bench.inspector, "ri_unknown")
    expect(words).to_have_text("The installation does not know the key.")
    keep.click()
    expect(bench.cells("verdict")).to_have_text("The installation does not know the key.")
    of_pages = create_api_key(owner.team, "x", [INGEST], origins=["https://a.example"])
    bench.save(bench.inspector, of_pages)
    expect(words).to_have_text("The key is for pages: make one for DevTools.")
    bench.save(bench.site.origin, bench.key)
    expect(words).to_have_text(f"What answers at {bench.site.origin} is no Response Inspector.")
    with closed_door() as gone:
        pass
    bench.save(gone, bench.key)
    expect(words).to_have_text(f"Nothing answers at {gone}.")


def test_a_panel_of_another_version_says_so(bench: Bench, monkeypatch: Any) -> None:
    monkeypatch.setattr("api.service.root.VERSION", "99.0.0")
    bench.save(bench.inspector, bench.key)
    expect(bench.panel.locator("#place-words")).to_contain_text(
        f"This panel is version {VERSION}, the installation 99.0.0"
    )


def test_page_that_was_loaded_with_another_version_of_panel_is_to_be_reloaded(bench: Bench) -> None:
    bench.watch()
    bench.shop.evaluate(
        """() => dispatchEvent(new CustomEvent("response-inspector:calls",
          { detail: JSON.stringify({ version: "0.0.1", dropped: 0, calls: [] }) }))"""
    )
    expect(bench.panel.locator("#notice")).to_contain_text("reload the page")
    bench.shop.reload()
    bench.ask()
    expect(bench.panel.locator("#notice")).to_contain_text("1 call.")


def test_a_page_that_floods_is_counted_and_what_it_makes_up_is_text(bench: Bench) -> None:
    bench.watch()
    bench.shop.evaluate(
        """(version) => {
          const call = (id) => ({ id, method: "<b>", url: "javascript:alert(1)", model: "<img src=x>",
            status: 200, bytes: 1, reads: [[1, 1]], outcome: "ended", line: "{}" });
          const tell = (calls) => dispatchEvent(new CustomEvent("response-inspector:calls",
            { detail: JSON.stringify({ version, dropped: 0, calls }) }));
          tell(Array.from({ length: 250 }, (_, number) => call(`made-up-${number}`)));
          for (let number = 0; number < 1000; number += 1) tell([7]);
        }""",
        VERSION,
    )
    expect(bench.cells("call")).to_have_count(200)
    expect(bench.cells("call").first).to_contain_text("<img src=x>")
    bench.ask()
    expect(bench.panel.locator("#notice")).to_contain_text("dropped")
    assert bench.panel.locator("td img").count() == 0


def test_the_panel_stands_in_devtools_and_sees_the_inspected_page(
    browser_type: BrowserType, browser_type_launch_args: dict[str, Any], tmp_path: Path
) -> None:
    options = browser_type_launch_args
    with (
        streaming_site() as site,
        extension(browser_type, options, tmp_path, "--auto-open-devtools-for-tabs") as installed,
    ):
        site.page = PAGE
        installed.allow("http://127.0.0.1/*")
        shop = installed.opened(f"{site.origin}/")
        panel = DevToolsPanel.beside(installed, shop)
        panel.wait(f"textOf('#site') === '{site.origin} is not watched.'")
        panel.evaluate("document.querySelector('#watch').click()")
        panel.wait(f"textOf('#site') === 'Watching {site.origin}.'")
        assert shop.evaluate("ask()") == BODY.decode()
        panel.wait("textOf('td.answer') === '200'")


def test_the_panel_is_accessible_and_fits(bench: Bench) -> None:
    bench.save(bench.inspector, bench.key)
    bench.watch()
    bench.ask()
    bench.panel.get_by_role("button", name="Keep", exact=True).click()
    expect(bench.cells("verdict")).to_contain_text("complete")
    assert_accessible_and_fits(bench.panel)
