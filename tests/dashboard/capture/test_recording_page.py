"""The pages of a call that the proxy records, while it runs and after."""

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
import pytest

from inspector.archive.intake.recording import Recording, append, finish
from inspector.core.wire.exchange import Read, TransportFault, TransportOutcome
from inspector.formatting.humanize import so_far
from tests.archive.calls import ASKED, FIRST, WHOLE_CALL, begun, call, ending, segment
from tests.archive.samples import accept, inspect_all
from tests.people import Person

pytestmark = [pytest.mark.django_db]


def page(person: Person, capture_id: UUID, part: str = "") -> str:
    return person.page(f"/captures/{capture_id}/{part}")


def heading(html: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", html, re.DOTALL)
    assert found is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found[1])).strip()


def failed(person: Person) -> Recording:
    return ending(call(person), status_code=429, reads=(Read(1_000, b"{}"),))


def test_the_page_says_how_much_has_come(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    shown = page(owner, one.id)
    assert heading(shown).startswith("In progress. 100 B so far, ")
    assert 'id="live"' in shown


def test_an_open_page_is_told_of_the_growth(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    state, browser = f"/captures/{one.id}/state/?state=recording", owner.browser()
    append([segment(lease, 0, FIRST)])
    grown = browser.get(state).content.decode()
    assert heading(grown).startswith("In progress. 100 B so far")
    assert 'id="recording" class="verdict" hx-swap-oob="true"' in grown
    assert 'id="figure-size"' in grown and 'id="figure-duration"' in grown


def test_a_page_that_waits_for_the_reading_has_the_place_of_what_it_is_told(owner: Person) -> None:
    capture_id = accept(owner)
    told = owner.browser().get(f"/captures/{capture_id}/state/?state=recording").content.decode()
    (swapped,) = re.findall(r'<h1 id="(\w+)"[^>]* hx-swap-oob', told)
    assert f'<h1 id="{swapped}"' in page(owner, capture_id)


def test_a_page_that_grows_asks_for_what_its_growth_does_not_tell(owner: Person) -> None:
    one = call(owner)
    begun(one)
    answer = owner.browser().get(f"/captures/{one.id}/state/?state=recording&live=1")
    shown = answer.content.decode()
    assert 'id="recording"' not in shown and "figure-size" not in shown
    assert 'id="running"' in shown


def test_the_finished_page_takes_the_place_of_the_open_one_without_a_reload(owner: Person) -> None:
    one = call(owner)
    begun(one)
    state, browser = f"/captures/{one.id}/state/?state=recording&from=recording", owner.browser()
    finish([one])
    waiting = browser.get(state)
    assert "X-Recording" not in waiting.headers and "HX-Refresh" not in waiting.headers
    assert heading(waiting.content.decode()).startswith("Waiting.")
    again = f"/captures/{one.id}/state/?state=received&amp;from=recording"
    assert again in waiting.content.decode()
    assert browser.get(again.replace("&amp;", "&")).status_code == 204
    inspect_all()
    answer = browser.get(again.replace("&amp;", "&"))
    assert answer["X-Recording"] == "over" and "HX-Refresh" not in answer.headers
    whole = answer.content.decode()
    assert heading(whole).startswith("Answered.")
    assert re.search(r"<title>Answered\. .*\s+· capture .* · Response Inspector\s*</title>", whole)
    assert '<div id="live" hx-swap-oob="delete"></div>' in whole
    assert '<div class="panels" id="panels" hx-swap-oob="true">' in whole


def test_what_needs_the_whole_answer_is_offered_after_its_end(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    offers = ('id="share"', ">Compare<", ">Download</a>", "bytes, sha-256")
    shown = flat(owner, one.id)
    assert [offer for offer in offers if offer in shown] == []
    assert "The bytes are shown after the end; how many have come stands above." in shown
    assert "<title>In progress · capture " in shown
    finish([one])
    inspect_all()
    assert [offer for offer in offers if offer not in flat(owner, one.id)] == []


@pytest.mark.parametrize("drawn_as", ["recording", "received"])
def test_the_finished_page_is_as_a_reload_has_it(owner: Person, drawn_as: str) -> None:
    one = call(owner)
    begun(one)
    assert panels(page(owner, one.id))[:3] == ["timeline", "choices", "prompt"]
    finish([one])
    inspect_all()
    state = f"/captures/{one.id}/state/?state=recording&from={drawn_as}"
    swapped = owner.browser().get(state).content.decode()
    assert panels(swapped)[:3] == ["prompt", "choices", "timeline"]
    assert sections(swapped) == sections(page(owner, one.id))


def panels(html: str) -> list[str]:
    return re.findall(r'<section class="panel" id="([^"]*)"', html)


def sections(html: str) -> list[list[str]]:
    """The rail, and the panels: where they are swapped, the rail comes last."""
    plain = html.replace(' hx-swap-oob="true"', "")
    wanted = (r'<nav class="rail".*?</nav>', r'<section class="panel" id="\w+"|Nothing in [^<]*')
    return [re.findall(each, plain, re.DOTALL) for each in wanted]


def test_what_only_the_end_can_tell_is_no_zero(owner: Person) -> None:
    one = call(owner)
    begun(one)
    figures = dict(
        re.findall(r'data-figure="(\w+)"[^>]*>.*?<a[^>]*><span\s*>([^<]*)', flat(owner, one.id))
    )
    assert {name: figures[name] for name in ("model", "dialect", "finish", "tokens", "first")} == {
        name: "not yet" for name in ("model", "dialect", "finish", "tokens", "first")
    }
    assert figures["cost"] == figures["findings"] == "after the end"
    assert "requested gpt-4o" in flat(owner, one.id)
    assert "Findings come after the end: rules need the whole response." in flat(owner, one.id)


def test_a_size_is_told_once_a_byte_has_come(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    state, browser = f"/captures/{one.id}/state/?state=recording", owner.browser()
    assert "no byte yet" in browser.get(state).content.decode()
    append([segment(lease, 0, FIRST)])
    assert "no byte yet" not in browser.get(state).content.decode()


def flat(person: Person, capture_id: UUID) -> str:
    return re.sub(r"\s+", " ", page(person, capture_id))


def test_the_request_is_folded_with_what_it_holds(owner: Person) -> None:
    body = b'{"model":"m","messages":[{"role":"user"},{"role":"user"}],"tools":[{}]}'
    asked = msgspec.structs.replace(WHOLE_CALL.request or ASKED, body=body)
    one = call(owner, msgspec.structs.replace(WHOLE_CALL, request=asked))
    begun(one)
    shown = flat(owner, one.id)
    assert "<li>2 messages</li><li>1 tool</li>" in shown
    assert "<summary>Unfold</summary>" in shown


def test_a_panel_of_a_recording_is_fetched_as_it_stands_on_its_page(owner: Person) -> None:
    one = call(owner)
    begun(one)
    asked = {"HX-Request": "true"}
    shown = owner.browser().get(f"/captures/{one.id}/panels/timeline/", headers=asked)
    assert b"data-growing" in shown.content
    missing = owner.browser().get(f"/captures/{one.id}/panels/nonsense/", headers=asked)
    assert missing.status_code == 404


def test_a_running_recording_says_where_its_growth_is_asked_for(owner: Person) -> None:
    one = call(owner)
    begun(one)
    asks = f'data-growth="/captures/{one.id}/growth/"'
    assert asks in page(owner, one.id)
    finish([one])
    assert "data-growth" not in page(owner, one.id)


def test_a_retry_and_the_call_that_it_repeats_link_to_each_other(owner: Person) -> None:
    first, second = failed(owner), call(owner, after_seconds=2)
    finish([first, second])
    inspect_all()
    assert f'Retried by <a href="/captures/{second.id}/">' in flat(owner, first.id)
    assert f'Retry of <a href="/captures/{first.id}/">' in flat(owner, second.id)
    assert "Retr" not in page(owner, lonely(owner))


def lonely(person: Person) -> UUID:
    one = call(person, after_seconds=500)
    finish([one])
    return one.id


def test_the_exchange_panel_says_when_the_recording_ended(owner: Person) -> None:
    one = call(owner)
    begun(one)
    assert "recorded to its end" in page(owner, one.id)
    finish([one])
    inspect_all()
    shown = page(owner, one.id)
    assert "recorded to its end" in shown and "as the proxy says" in shown
    posted_like = lonely(owner)
    assert "recorded to its end" not in page(owner, posted_like)


def test_the_proxy_is_named_while_it_records(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    assert "by proxy → <code>openai</code>, key: " in flat(owner, one.id)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    assert "by proxy → <code>openai</code>, key: " in flat(owner, one.id)


def test_the_proxy_is_named_where_nothing_came(owner: Person) -> None:
    changed = {"reads": (), "status_code": None, "headers": None}
    one = ending(
        call(owner),
        outcome=TransportOutcome.UPSTREAM_ERROR,
        fault=TransportFault.UNREACHABLE,
        **changed,
    )
    finish([one])
    inspect_all()
    shown = flat(owner, one.id)
    assert "by proxy → <code>openai</code>, key: " in shown
    assert "as the proxy says" in shown


def test_what_has_come_is_words() -> None:
    since = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    assert so_far(0, since, since) == "0 B so far, just begun"
    later = since + timedelta(seconds=3)
    assert so_far(12_300, since, later) == "12.3 kB so far, since 3 s"
