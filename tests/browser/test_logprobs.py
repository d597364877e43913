"""The heat map of logprobs under keys and pointer."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from inspector.dashboard.capture.logprobs.panel import WINDOW
from tests.archive.samples import inspected
from tests.browser.watching import assert_accessible, only_own_requests, sign_in
from tests.people import Person

LENGTH = WINDOW["heat"] + 7


def answer(*tokens: dict[str, Any]) -> bytes:
    content = "".join(token["token"] for token in tokens)
    message = {"role": "assistant", "content": content, "refusal": None}
    choice = {
        "index": 0, "message": message, "logprobs": {"content": list(tokens), "refusal": None},
        "finish_reason": "stop",
    }  # fmt: skip
    about = {"id": "c", "object": "chat.completion", "created": 1700000000, "model": "m"}
    return json.dumps({**about, "choices": [choice]}).encode()


def token(text: str, logprob: float = -0.1, *others: str) -> dict[str, Any]:
    tops = [{"token": each, "logprob": -3.0, "bytes": None} for each in others]
    return {"token": text, "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": tops}


def test_tokens_are_gone_through_by_keys_and_told_in_the_strip(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    capture_id = inspected(
        owner, answer(token("Ship"), token(" it", -4.0, " them", "</script>"), token(".\n"))
    )
    with only_own_requests(page, live_server.url):
        page.goto(f"/captures/{capture_id}/")
        strip = page.locator(".token-strip")
        expect(strip).to_contain_text("Point at a token")
        page.get_by_role("link", name='" it"').click()
        expect(page.locator("#token-0-content-1")).to_be_focused()
        expect(strip).to_contain_text("1.83 %")
        expect(strip.locator("li")).to_contain_text(['" them"', '"</script>"'])
        page.keyboard.press("ArrowRight")
        expect(strip.locator(".token-head")).to_contain_text("token 2")
        page.keyboard.press("Home")
        expect(page.locator("#token-0-content-0")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator(".heat span:focus")).to_have_count(0)
        page.keyboard.press("Shift+Tab")
        expect(page.locator("#token-0-content-0")).to_be_focused()
        assert_accessible(page)
        page.locator("#logprobs").get_by_role("link", name="Table").click()
        expect(page.locator(".token-table tbody tr")).to_have_count(3)
        expect(page.locator(".token-table")).to_contain_text('" them" 4.98 %')
        assert_accessible(page)


@pytest.mark.thorough
def test_long_text_is_fetched_window_by_window(page: Page, owner: Person, live_server: Any) -> None:
    sign_in(page, owner, live_server.url)
    last = token("z", -9.0)
    capture_id = inspected(owner, answer(*[token(f"w{n} ") for n in range(LENGTH - 1)], last))
    page.goto(f"/captures/{capture_id}/")
    panel = page.locator("#logprobs")
    panel.scroll_into_view_if_needed()
    expect(panel.locator(".heat > span")).to_have_count(WINDOW["heat"])
    panel.get_by_role("link", name='"z"').click()
    expect(panel.locator(".heat > span")).to_have_count(7)
    expect(page.locator(f"#token-0-content-{LENGTH - 1}")).to_be_focused()
    page.go_back()
    expect(page.locator("#token-0-content-0")).to_have_count(1)
