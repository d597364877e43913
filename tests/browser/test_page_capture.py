"""The module that a page of another origin imports from the installation."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from inspector.teams.access import INGEST
from inspector.teams.keys import create_api_key
from tests.archive.samples import inspect_all
from tests.browser.streaming_site import PIECES, StreamingSite, streaming_site
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
PROVIDER_KEY = "sk-proj-0123456789abcdefABCDEF"
BODY = b"".join(PIECES)


@pytest.fixture
def site(live_server: Any, owner: Person) -> Iterator[StreamingSite]:
    with streaming_site() as found:
        key = create_api_key(owner.team, "shop", [INGEST], origins=[found.origin])
        found.page = page_with(live_server.url, key)
        yield found


def page_with(inspector: str, key: str) -> str:
    options = json.dumps({"url": inspector, "key": key, "tags": ["shop"]})
    return f"""<!doctype html><title>Shop</title><script type="module">
      import {{ capture, captureEventSource, counts, flush }} from "{inspector}/clients/page/index.js";
      const options = {options};
      const recorded = capture(window.fetch, options);
      const EventSource = captureEventSource(options);
      window.ask = async (signal) => {{
        const headers = {{ authorization: "Bearer {PROVIDER_KEY}" }};
        const init = {{ method: "POST", headers, body: '{{"model":"m-1","stream":true}}', signal }};
        const response = await recorded("/v1/chat/completions", init);
        let text = "";
        window.pieces = 0;
        for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {{
          text += piece;
          window.pieces += 1;
        }}
        return text;
      }};
      window.listen = () => new Promise((resolve) => {{
        const events = [];
        const source = new EventSource("/events");
        source.onmessage = ({{ data }}) => {{
          events.push(data);
          if (data === "[DONE]") {{ source.close(); resolve(events); }}
        }};
      }});
      window.settled = async () => {{ await flush(60000); return counts(); }};
      window.counts = counts;
      document.body.dataset.ready = "yes";
    </script><body></body>"""


def opened(page: Page, site: StreamingSite) -> Page:
    page.goto(f"{site.origin}/")
    page.wait_for_selector("body[data-ready]", state="attached")
    return page


def captured(owner: Person) -> list[dict[str, Any]]:
    inspect_all()
    rows = owner.get("/api/v1/captures/").json["captures"]
    return [owner.get(f"/api/v1/captures/{row['id']}/").json for row in rows]


def test_a_stream_that_a_page_reads_is_captured_with_its_times_and_without_its_key(
    page: Page, site: StreamingSite, owner: Person
) -> None:
    told = opened(page, site).evaluate("ask()")
    assert told == BODY.decode()
    assert site.authorizations == [f"Bearer {PROVIDER_KEY}"]
    counts = page.evaluate("settled()")
    assert (counts["called"], counts["sent"], counts["dropped"]) == (1, 1, 0)
    (found,) = captured(owner)
    assert owner.get(f"/api/v1/captures/{found['id']}/raw/").body == BODY
    assert found["analysis"]["verdict"] == "complete"
    assert found["analysis"]["measured_by"] == "client"
    assert found["analysis"]["timeline"]["clock"] == "recorded"
    assert found["tags"] == ["shop"]
    assert found["exchange"]["request"]["url"] == f"{site.origin}/v1/chat/completions"
    assert PROVIDER_KEY not in json.dumps(found)
    assert ["authorization", "[removed]"] in found["exchange"]["request"]["headers"]


def test_what_the_browser_tidies_up_while_a_page_reads_ends_no_recording(
    page: Page, site: StreamingSite, owner: Person
) -> None:
    for _ in PIECES[1:]:
        site.go.acquire()
    opened(page, site).evaluate("void (window.asked = ask())")
    page.wait_for_function("window.pieces === 1")
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    site.go.release(len(PIECES) - 1)
    assert page.evaluate("asked") == BODY.decode()
    page.evaluate("settled()")
    (found,) = captured(owner)
    assert found["exchange"]["outcome"] == "ended"


def test_a_stream_that_a_page_listens_to_is_captured_whole(
    page: Page, site: StreamingSite, owner: Person
) -> None:
    events = opened(page, site).evaluate("listen()")
    assert events == [piece[6:-2].decode() for piece in PIECES]
    page.evaluate("settled()")
    (found,) = captured(owner)
    body = owner.get(f"/api/v1/captures/{found['id']}/raw/").body
    assert BODY.startswith(body) and body.count(b"data: ") == 3


def test_a_page_that_ends_in_a_stream_sends_what_it_had(
    page: Page, site: StreamingSite, owner: Person
) -> None:
    for _ in PIECES[1:]:
        site.go.acquire()
    opened(page, site).evaluate("void ask().catch(() => {})")
    page.wait_for_function("counts().open === 1 && window.pieces === 1")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    page.wait_for_function("counts().sent === 1")
    site.go.release(len(PIECES))
    (found,) = captured(owner)
    assert found["exchange"]["outcome"] == "recorder-stopped"
    assert owner.get(f"/api/v1/captures/{found['id']}/raw/").body == PIECES[0]


def test_a_key_that_does_not_list_the_page_drops_its_calls_and_says_why(
    browser: Browser, site: StreamingSite, live_server: Any, owner: Person
) -> None:
    elsewhere = create_api_key(owner.team, "x", [INGEST], origins=["https://other.example"])
    site.page = page_with(live_server.url, elsewhere)
    page = browser.new_page()
    told = opened(page, site).evaluate("ask()")
    assert told == BODY.decode()
    with page.expect_console_message(lambda line: "captured" in line.text) as warned:
        pass
    assert "the server does not take them now" in warned.value.text
    counts = page.evaluate("counts()")
    assert (counts["called"], counts["sent"]) == (1, 0)
    page.close()
    assert captured(owner) == []
