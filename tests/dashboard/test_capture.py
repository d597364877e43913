import gzip
import json
import re
from uuid import UUID, uuid4

import msgspec
import pytest
from django.test import Client

from inspector.archive.intake import Arrival
from inspector.archive.models import Capture, State
from inspector.core.exchange import Exchange, Read, Request
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
from tests.dashboard.captured import TWO_CHOICES
from tests.people import Person

PARTS = ("", "?table=0", "?all=1", "state/", "timeline.json", "timeline/", "lines/", "raw/")


def streamed(person: Person, **about: object) -> UUID:
    reads = [Read(at, text.encode()) for at, text in TWO_CHOICES]
    exchange = Exchange(reads=tuple(reads), content_type=SSE, status_code=200, **about)  # type: ignore[arg-type]
    id = accept_arrival(person, Arrival(exchange, tags=("checkout",), note="look here")).id
    inspect_all()
    return id


def page(person: Person, id: UUID, part: str = "") -> str:
    answer = person.browser().get(f"/captures/{id}/{part}")
    assert answer.status_code == 200
    return answer.content.decode()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens_to_the_team_and_to_nobody_else(
    part: str, owner: Person, teammate: Person, stranger: Person
) -> None:
    id = streamed(owner)
    path = f"/captures/{id}/{part}"
    assert owner.browser().get(path).status_code in (200, 204)
    assert teammate.browser().get(path).status_code in (200, 204)
    foreign = stranger.browser().get(path)
    missing = stranger.browser().get(f"/captures/{uuid4()}/{part}")
    assert foreign.status_code == missing.status_code == 404
    assert len(foreign.content) == len(missing.content)
    assert Client().get(path).status_code == 302


def test_a_compressed_response_is_shown_undone_and_downloaded_as_it_came(owner: Person) -> None:
    came = gzip.compress(STREAM)
    exchange = Exchange.of_body(came, SSE)
    coded = msgspec.structs.replace(exchange, headers=(("content-encoding", "gzip"),))
    id = accept_arrival(owner, Arrival(coded)).id
    inspect_all()
    undone = f"{len(STREAM):,} bytes, undone from the {len(came):,} that came and are kept"
    assert undone in words(page(owner, id))
    assert owner.browser().get(f"/captures/{id}/raw/").content == came


def test_the_page_tells_verdict_figures_and_panels(owner: Person) -> None:
    asked = Request(method="POST", body=b'{"model": "other-model"}')
    said = words(page(owner, streamed(owner, request=asked)))
    assert "Complete. Both choices gave a finish reason" in said
    assert "asked as other-model" in said
    assert "look here" in said and "checkout" in said
    assert "stop, length" in said
    assert "Ship from Rotterdam." in said
    for title in ("Choices", "Timeline", "Tool calls", "Usage", "Findings", "Raw", "Extras"):
        assert title in said


def test_neighbours_and_equal_bytes_are_linked(owner: Person) -> None:
    first, second, third = inspected(owner), inspected(owner, STREAM, SSE), inspected(owner)
    html = page(owner, second)
    assert f'id="newer" rel="prev" href="/captures/{third}/"' in html
    assert f'id="older" rel="next" href="/captures/{first}/"' in html
    assert "same bytes as" in page(owner, third)


def test_a_capture_that_waits_asks_for_its_state_until_it_is_inspected(owner: Person) -> None:
    id = accept(owner)
    html = page(owner, id)
    assert f"/captures/{id}/state/?known=received" in html
    assert "Not inspected yet" in html
    browser = owner.browser()
    path = f"/captures/{id}/state/?known=received"
    assert "HX-Refresh" not in browser.get(path).headers
    inspect_all()
    assert browser.get(path)["HX-Refresh"] == "true"
    assert 'id="live"' not in page(owner, id)


def test_a_quarantined_capture_shows_its_bytes_and_the_reason(owner: Person) -> None:
    id = accept(owner)
    Capture.objects.filter(id=id).update(
        state=State.QUARANTINED, quarantine_reason="It took longer than 40 s."
    )
    html = page(owner, id)
    assert "Quarantined.</b> It took longer than 40 s." in html
    assert "chatcmpl-1" in html
    assert "could not be inspected" in html
    assert owner.browser().get(f"/captures/{id}/timeline.json").status_code == 404


def test_an_unreadable_body_shows_its_bytes_and_a_proposal(owner: Person) -> None:
    broken = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"Hi",}}]}'
    html = page(owner, inspected(owner, broken))
    assert "Unreadable." in html
    assert ">proposal</span>" in html
    assert "nothing on this page is computed from it" in html
    assert 'class="error-row"' in html


def test_the_tape_is_given_to_the_drawing_and_not_sent_twice(owner: Person) -> None:
    id = streamed(owner)
    browser = owner.browser()
    answer = browser.get(f"/captures/{id}/timeline.json")
    drawn = json.loads(answer.content)
    assert drawn["tape"]["clock"] == "recorded"
    assert [lane["text"] for lane in drawn["lanes"]] == [
        "Ship from Rotterdam.", "Ship from Leipzig.",
    ]  # fmt: skip
    again = browser.get(f"/captures/{id}/timeline.json", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert browser.get(f"/captures/{inspected(owner)}/timeline.json").status_code == 404


def test_the_timeline_is_a_table_where_it_is_asked_for_as_one(owner: Person) -> None:
    html = page(owner, streamed(owner), "?table=0")
    assert "data-src=" not in html
    assert "choice 0 content 10" in words(html)
    assert "first content" in words(html)


def test_lines_are_a_page_of_their_own_or_rows_for_a_table(owner: Person) -> None:
    id = streamed(owner)
    whole = page(owner, id, "lines/?event=3")
    assert "<!doctype html>" in whole and 'id="event-3"' in whole
    answer = owner.browser().get(
        f"/captures/{id}/lines/?from=2&to=4", headers={"HX-Request": "true"}
    )
    rows = answer.content.decode()
    assert "<!doctype html>" not in rows
    assert re.findall(r'id="(event-\d+)"', rows) == ["event-2", "event-3"]


@pytest.mark.parametrize(
    "query", ["from=-1", "from=9999999&to=1", "byte=99999999", "event=777", "from=x&to=y",
              "from=٣", "byte=" + "9" * 40],
)  # fmt: skip
def test_places_that_are_not_there_are_no_error(owner: Person, query: str) -> None:
    id = streamed(owner)
    assert owner.browser().get(f"/captures/{id}/lines/?{query}").status_code == 200
    assert owner.browser().get(f"/captures/{id}/timeline/?{query}").status_code == 200


@pytest.mark.parametrize(
    "body, content_type, ending",
    [(WHOLE, "application/json; charset=utf-8", "json"), (STREAM, SSE, "sse"),
     (b"<html>", "text/html", "txt"), (b"\x00\xff", None, "txt")],
)  # fmt: skip
def test_the_download_is_the_bytes_as_they_came_and_nothing_a_browser_runs(
    owner: Person, body: bytes, content_type: str | None, ending: str
) -> None:
    id = inspected(owner, body, content_type)
    answer = owner.browser().get(f"/captures/{id}/raw/")
    assert answer.content == body
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"] == f'attachment; filename="{id}.{ending}"'
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("body", [b"", CUT, b"\xff\xfe\x00", b"\n\n\n", b"[]", b"null", b"data:"])
def test_any_body_has_a_page(owner: Person, body: bytes) -> None:
    html = page(owner, inspected(owner, body or b" ", None))
    assert 'id="raw"' in html


@pytest.mark.django_db
def test_a_large_capture_says_what_its_stored_reading_lacks(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.dashboard.views.capture.READ_IN_FULL_BYTES", 100)
    logprobs = b'"logprobs":{"content":[{"token":"Hello","logprob":-0.5}]},"finish_reason"'
    id = inspected(owner, WHOLE.replace(b'"finish_reason"', logprobs))
    shown = page(owner, id)
    assert "Shown is the stored reading, without all of /choices/0/logprobs (1 token)" in shown
    assert "The logprobs of 1 token are not kept" in shown
    assert "No choice carries logprobs" not in shown
