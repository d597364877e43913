import gzip
import json
import re
from uuid import UUID

import msgspec
import pytest

from inspector.archive import readouts
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, Inspection, State
from inspector.archive.readers import on_demand
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request
from tests.archive.samples import (
    CUT,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.dashboard.capture.samples import TWO_CHOICES, chunk, delta
from tests.people import Person

PARTS = (
    "",
    "?timeline=table",
    "?raw=all",
    "state/",
    "timeline.json",
    "timeline/",
    "lines/",
    "raw/",
)


def streamed(person: Person, **about: object) -> UUID:
    reads = [Read(at, text.encode()) for at, text in TWO_CHOICES]
    exchange = Exchange(reads=tuple(reads), content_type=SSE, status_code=200, **about)  # type: ignore[arg-type]
    capture_id = accept_arrival(
        person, Submission(exchange, tags=("checkout",), note="look here")
    ).id
    inspect_all()
    return capture_id


def page(person: Person, capture_id: UUID, part: str = "") -> str:
    return person.page(f"/captures/{capture_id}/{part}")


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def test_panel_has_an_address_of_its_own(owner: Person, teammate: Person, stranger: Person) -> None:
    path = f"/captures/{streamed(owner)}/panels/raw/?raw=all"
    for person in (owner, teammate):
        fragment = person.browser().get(path, headers={"HX-Request": "true"})
        html = fragment.content.decode()
        assert html.startswith('<section class="panel" id="raw"')
        assert "bytes as in" not in html
    assert stranger.browser().get(path, headers={"HX-Request": "true"}).status_code == 404


def test_without_scripts_the_page_answers_for_its_panel(owner: Person) -> None:
    capture_id = streamed(owner)
    answer = owner.browser().get(f"/captures/{capture_id}/panels/raw/?raw=all&timeline=table")
    assert answer.headers["Location"] == f"/captures/{capture_id}/?raw=all&timeline=table#raw"


def test_a_panel_that_is_none_is_missing(owner: Person) -> None:
    path = f"/captures/{streamed(owner)}/panels/nothing/"
    assert owner.browser().get(path).status_code == 404


def test_a_link_to_another_view_of_a_panel_keeps_the_views_of_the_others(owner: Person) -> None:
    html = page(owner, capture_id := streamed(owner), "?timeline=table&raw=all")
    assert f'href="/captures/{capture_id}/?raw=all#timeline"' in html
    assert f'href="/captures/{capture_id}/?timeline=table#raw"' in html
    assert f'hx-get="/captures/{capture_id}/panels/raw/?timeline=table"' in html


def test_pages_are_compressed_and_evidence_is_not(owner: Person) -> None:
    capture_id = streamed(owner)
    browser, takes = owner.browser(), {"Accept-Encoding": "gzip"}
    plain = browser.get(f"/captures/{capture_id}/").content
    packed = browser.get(f"/captures/{capture_id}/", headers=takes)
    assert packed["Content-Encoding"] == "gzip" and len(packed.content) < len(plain) / 3
    assert "Content-Encoding" not in browser.get(f"/captures/{capture_id}/raw/", headers=takes)


def test_values_that_did_not_change_are_not_sent_again_compressed_or_not(owner: Person) -> None:
    path = f"/captures/{streamed(owner)}/timeline.json"
    browser, takes = owner.browser(), {"Accept-Encoding": "gzip"}
    for headers in ({}, takes):
        etag = browser.get(path, headers=headers)["ETag"]
        again = browser.get(path, headers={**headers, "If-None-Match": etag})
        assert again.status_code == 304
        for known in (f'"other", W/{etag.removeprefix("W/")}', "*"):
            assert browser.get(path, headers={"If-None-Match": known}).status_code == 304


def test_a_compressed_response_is_shown_undone_and_downloaded_as_it_came(owner: Person) -> None:
    came = gzip.compress(STREAM)
    exchange = Exchange.of_body(came, SSE)
    coded = msgspec.structs.replace(exchange, headers=(("content-encoding", "gzip"),))
    capture_id = accept_arrival(owner, Submission(coded)).id
    inspect_all()
    undone = f"{len(STREAM):,} bytes, decompressed from {len(came):,} received and kept bytes"
    assert undone in words(page(owner, capture_id))
    assert owner.browser().get(f"/captures/{capture_id}/raw/").content == came


def test_the_page_tells_verdict_figures_and_panels(owner: Person) -> None:
    asked = Request(method="POST", body=b'{"model": "other-model"}')
    said = words(page(owner, streamed(owner, request=asked)))
    assert "Truncated. Choice 1 hit its length limit" in said
    assert "requested other-model" in said
    assert "look here" in said and "checkout" in said
    assert "stop, length" in said
    assert "Ship from Rotterdam." in said
    for title in ("Choices", "Timeline", "Tool calls", "Usage", "Findings", "Raw", "Extras"):
        assert title in said


def test_neighbours_and_equal_bytes_are_linked(owner: Person) -> None:
    first, second, third = inspected(owner), inspected(owner, STREAM, SSE), inspected(owner)
    html = page(owner, second)
    assert re.search(rf'id="newer" rel="prev"\s+href="/captures/{third}/"', html)
    assert re.search(rf'id="older" rel="next"\s+href="/captures/{first}/"', html)
    assert "same bytes as" in page(owner, third)


def test_a_capture_that_waits_asks_for_its_state_until_it_is_inspected(owner: Person) -> None:
    capture_id = accept(owner)
    html = page(owner, capture_id)
    assert f"/captures/{capture_id}/state/?state=received" in html
    assert "Not analysed yet" in html
    browser = owner.browser()
    path = f"/captures/{capture_id}/state/?state=received"
    assert "HX-Refresh" not in browser.get(path).headers
    inspect_all()
    assert browser.get(path)["X-Recording"] == "over"
    assert 'id="live"' not in page(owner, capture_id)


def test_a_quarantined_capture_shows_its_bytes_and_the_reason(owner: Person) -> None:
    capture_id = accept(owner)
    Capture.objects.filter(id=capture_id).update(
        state=State.QUARANTINED, quarantine_reason="It took longer than 40 s."
    )
    html = page(owner, capture_id)
    assert "Not analysed. Three tries failed: it took longer than 40 s." in words(html)
    assert "chatcmpl-1" in html
    assert "could not be analysed" in html
    assert owner.browser().get(f"/captures/{capture_id}/timeline.json").status_code == 404


def test_an_unreadable_body_shows_its_bytes_and_a_proposal(owner: Person) -> None:
    broken = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":\'Hi\'}}]}'
    html = page(owner, inspected(owner, broken))
    assert "Unreadable." in html
    assert ">proposal</span>" in html
    assert "nothing on this page is computed from it" in html
    assert 'class="error-row"' in html


def test_the_tape_is_given_to_the_drawing_and_not_sent_twice(owner: Person) -> None:
    capture_id = streamed(owner)
    browser = owner.browser()
    answer = browser.get(f"/captures/{capture_id}/timeline.json")
    drawn = json.loads(answer.content)
    assert drawn["tape"]["clock"] == "recorded"
    assert [lane["text"] for lane in drawn["lanes"]] == [
        "Ship from Rotterdam.", "Ship from Leipzig.",
    ]  # fmt: skip
    again = browser.get(
        f"/captures/{capture_id}/timeline.json", headers={"If-None-Match": answer["ETag"]}
    )
    assert again.status_code == 304
    assert browser.get(f"/captures/{inspected(owner)}/timeline.json").status_code == 404


def test_the_timeline_is_a_table_where_it_is_asked_for_as_one(owner: Person) -> None:
    html = page(owner, streamed(owner), "?timeline=table")
    assert 'class="lanes"' not in html
    assert "choice 0 content 10" in words(html)
    assert "first content" in words(html)


def test_lines_are_a_page_of_their_own_or_rows_for_a_table(owner: Person) -> None:
    capture_id = streamed(owner)
    whole = page(owner, capture_id, "lines/?event=3")
    assert "<!doctype html>" in whole and 'id="event-3"' in whole
    answer = owner.browser().get(
        f"/captures/{capture_id}/lines/?from=2&to=4", headers={"HX-Request": "true"}
    )
    rows = answer.content.decode()
    assert "<!doctype html>" not in rows
    assert re.findall(r'id="(event-\d+)"', rows) == ["event-2", "event-3"]


def test_a_place_in_a_run_is_shown_with_what_is_before_and_behind_it_folded(owner: Person) -> None:
    words = "".join(chunk(delta(0, content=f"{n} ")) for n in range(120))
    capture_id = inspected(owner, words.encode(), SSE)
    answer = owner.browser().get(
        f"/captures/{capture_id}/lines/?from=10&to=110&event=60", headers={"HX-Request": "true"}
    )
    rows = answer.content.decode()
    assert re.findall(r'data-events="(\d+-\d+)"', rows) == ["10-53", "100-109"]
    assert re.findall(r'id="event-(\d+)"', rows) == [str(n) for n in range(54, 100)]


def test_places_that_are_not_there_are_no_error(owner: Person, subtests: pytest.Subtests) -> None:
    capture_id = streamed(owner)
    for query in [
        "from=-1",
        "from=9999999&to=1",
        "byte=99999999",
        "event=777",
        "from=x&to=y",
        "from=٣",
        "byte=" + "9" * 40,
    ]:
        with subtests.test(query=query):
            assert owner.browser().get(f"/captures/{capture_id}/lines/?{query}").status_code == 200
            assert (
                owner.browser().get(f"/captures/{capture_id}/timeline/?{query}").status_code == 200
            )


@pytest.mark.parametrize(
    "body, content_type, ending",
    [(WHOLE, "application/json; charset=utf-8", "json"), (STREAM, SSE, "sse"),
     (b"<html>", "text/html", "txt"), (b"\x00\xff", None, "txt")],
)  # fmt: skip
def test_the_download_is_the_bytes_as_they_came_and_nothing_a_browser_runs(
    owner: Person, body: bytes, content_type: str | None, ending: str
) -> None:
    capture_id = inspected(owner, body, content_type)
    answer = owner.browser().get(f"/captures/{capture_id}/raw/")
    assert answer.content == body
    assert answer["Content-Type"] in ("text/plain; charset=utf-8", "application/octet-stream")
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Content-Disposition"] == f'attachment; filename="{capture_id}.{ending}"'
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_pages_and_api_hand_out_the_same_file(owner: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    names = ("Content-Type", "Content-Disposition", "Content-Security-Policy", "ETag")
    page, api = (
        owner.browser().get(f"/captures/{capture_id}/raw/"),
        owner.get(f"/api/v1/captures/{capture_id}/raw/"),
    )
    assert [page[name] for name in names] == [api.headers[name] for name in names]
    again = owner.browser().get(
        f"/captures/{capture_id}/raw/", headers={"If-None-Match": page["ETag"]}
    )
    assert (page.content, again.status_code, again.content) == (STREAM, 304, b"")


def test_any_body_has_a_page(owner: Person, subtests: pytest.Subtests) -> None:
    for body in [b"", CUT, b"\xff\xfe\x00", b"\n\n\n", b"[]", b"null", b"data:"]:
        with subtests.test(body=body):
            html = page(owner, inspected(owner, body or b" ", None))
            assert 'id="raw"' in html


def with_logprobs(person: Person) -> UUID:
    logprobs = b'"logprobs":{"content":[{"token":"Hello","logprob":-0.5}]},"finish_reason"'
    return inspected(person, WHOLE.replace(b'"finish_reason"', logprobs))


def test_what_is_kept_of_a_capture_is_on_its_page_at_once(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = with_logprobs(owner)
    monkeypatch.setattr(on_demand, "read", lambda *_: pytest.fail("it was read"))
    html = page(owner, capture_id)
    assert "Answered." in words(html)
    assert "−0.5" in page(owner, capture_id, "?show=logprobs")


def test_a_readout_over_the_bound_says_what_is_not_kept(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readouts, "SMALL_BYTES", 0)
    monkeypatch.setattr(readouts, "READOUT_BYTES", 0)
    capture_id = with_logprobs(owner)
    shown = page(owner, capture_id)
    assert "Too large to be kept whole: without all of /choices/0/logprobs (1 token)" in shown
    assert "the logprobs of 1 token are not kept of a capture this large" in shown
    assert "No choice carries logprobs" not in shown
    stream = inspected(owner, STREAM, SSE)
    assert "too large for its events to be kept" in page(owner, stream)
    for part in ("completion", "timeline"):
        answer = owner.get(f"/api/v1/captures/{stream}/{part}/")
        assert (answer.status, answer.code) == (413, "reading_too_large")


def test_a_large_unknown_value_costs_the_page_a_few_kilobytes(
    owner: Person, subtests: pytest.Subtests
) -> None:
    blob = b'"blob":"%s",' % (b"QUJD" * 250_000)
    stream = STREAM.replace(b'"id":"c",', b'"id":"c",' + blob, 1)
    for body, media_type in (
        (WHOLE.replace(b'"id"', blob + b'"id"'), "application/json"),
        (WHOLE.replace(b'"role"', blob + b'"role"'), "application/json"),
        (WHOLE.replace(b'"prompt_tokens"', blob + b'"prompt_tokens"'), "application/json"),
        (stream, SSE),
    ):
        with subtests.test(body=body[:40]):
            capture_id = inspected(owner, body, media_type)
            for part in ("", "?show=choices", "?raw=tree", "?raw=hex", "?show=extras"):
                assert len(page(owner, capture_id, part)) < 100_000
            assert "more characters, in hex" in page(owner, capture_id, "?raw=tree")


def test_what_a_newer_version_could_not_read_is_shown_as_it_was_read(owner: Person) -> None:
    capture_id = with_logprobs(owner)
    Inspection.objects.filter(pk=capture_id).update(tried_version=99)
    assert "−0.5" in page(owner, capture_id, "?show=logprobs")


@pytest.mark.parametrize("tier", ["", "flex"])
def test_a_cut_readout_is_priced_at_the_tier_that_was_used(
    owner: Person, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readouts, "SMALL_BYTES", 0)
    monkeypatch.setattr(readouts, "READOUT_BYTES", 0)
    sent = b'"service_tier":"%s","created"' % tier.encode() if tier else b'"created"'
    shown = page(owner, inspected(owner, WHOLE.replace(b'"created"', sent)))
    assert ("no price for the service tier" in words(shown)) == bool(tier)
    assert ("$0.00002625" in shown) == (not tier)


def test_a_capture_says_that_the_proxy_took_it_or_that_a_key_sent_it(owner: Person) -> None:
    reads = tuple(Read(at, text.encode()) for at, text in TWO_CHOICES)
    for measured_by, told in (
        (MeasuredBy.PROXY, "by proxy, key: olga"),
        (None, " key: olga"),
    ):
        exchange = Exchange(reads=reads, content_type=SSE, measured_by=measured_by)
        capture_id = accept_arrival(owner, Submission(exchange)).id
        inspect_all()
        assert told in words(page(owner, capture_id))
