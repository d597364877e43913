"""Looking for a text in one capture."""

from dataclasses import replace

import pytest

from inspector.core.completion import Block, BlockKind, Choice, ToolCall
from inspector.core.findings import Finding, Severity
from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.find.search import MAX_HITS, SearchResult, search_capture
from tests.archive.samples import inspected
from tests.dashboard.capture import block_samples as blocks
from tests.dashboard.capture.samples import (
    DONE,
    TWO_CHOICES,
    analysis,
    chunk,
    delta,
    streamed,
    text_of,
    view,
)
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert
from tests.people import Person


def told(found: SearchResult) -> list[tuple[str, int, str]]:
    """Each place with its number of hits and the first one's address."""
    return [(place.name, place.total, place.hits[0].href) for place in found.places]


def test_answers_and_bytes_are_searched_capitals_and_small_letters_alike() -> None:
    shown = streamed(*TWO_CHOICES, is_stored=False)
    assert told(search_capture(shown, "LEIPZIG")) == [
        ("choice 1 content", 1, "#choice-1"),
        ("bytes", 1, "#line-13"),
    ]


def test_a_text_that_came_in_several_chunks_is_found_in_the_answer_alone() -> None:
    assert told(search_capture(streamed(*TWO_CHOICES), "from leipzig")) == [
        ("choice 1 content", 1, "#choice-1")
    ]


def test_reasoning_arguments_and_findings_are_searched() -> None:
    call = ToolCall(index=0, name="book", arguments_text='{"to":"Basel"}')
    choice = Choice(index=2, reasoning="to Basel?", tool_calls=(call,))
    remark = Finding(code="a.b", severity=Severity.INFO, message="Basel is far.")
    assert told(search_capture(view(analysis(choice, findings=(remark,))), "basel")) == [
        ("choice 2 reasoning", 1, "#choice-2"),
        ("choice 2 arguments", 1, "#call-2-0"),
        ("finding", 1, "#finding-1"),
    ]


def test_headers_request_line_and_metadata_are_searched_analysed_or_not() -> None:
    asked = Request(method="POST", url="https://parcel.example/v1", headers=(("via", "Parcel"),))
    shown = view(request=asked)
    page = replace(
        shown.facts, headers=(("x-parcel", "7"),), metadata={"order": {"kind": "parcel"}}
    )
    assert told(search_capture(replace(shown, facts=page), "PARCEL")) == [
        ("request line", 1, "#exchange"),
        ("request header", 1, "#exchange"),
        ("response header", 1, "#exchange"),
        ("metadata", 1, "#exchange"),
    ]


def test_a_hit_is_shown_with_what_stands_around_it() -> None:
    (place,) = search_capture(
        view(analysis(Choice(index=0, content="a" * 90 + "needle" + "b" * 90))), "Needle"
    ).places
    (hit,) = place.hits
    assert (text_of(hit.before), text_of(hit.text), text_of(hit.behind)) == (
        "a" * 48,
        "needle",
        "b" * 48,
    )


def test_what_is_looked_for_is_no_pattern() -> None:
    shown = view(analysis(Choice(index=0, content="a.c abc")))
    assert search_capture(shown, "a.c").total == 1
    assert search_capture(shown, "[").total == 0


def test_a_letter_that_would_become_two_moves_no_hit() -> None:
    shown = view(analysis(Choice(index=0, content="İİİ needle")))
    ((hit,),) = (place.hits for place in search_capture(shown, "NEEDLE").places)
    assert text_of(hit.text) == "needle"


def test_the_byte_of_a_hit_is_counted_in_bytes() -> None:
    body = "ä€😀 needle\n".encode() + b"\xff needle"
    hits = search_capture(view(None, body), "needle").places[0].hits
    assert [hit.href.partition("?")[2] for hit in hits] == ["byte=10#byte-10", "byte=19#byte-19"]


def test_many_hits_are_counted_and_a_part_of_them_is_shown() -> None:
    (place,) = search_capture(view(analysis(Choice(index=0, content="aa" * 5_000))), "a").places
    assert (len(place.hits), place.total, place.left_out) == (MAX_HITS, 10_000, 10_000 - MAX_HITS)


def test_nothing_is_found_where_nothing_is_asked_for() -> None:
    assert search_capture(streamed(*TWO_CHOICES), "").places == ()


def test_without_scripts_a_hit_leads_to_the_capture(owner: Person) -> None:
    capture_id = inspected(owner)
    html = owner.browser().get(f"/captures/{capture_id}/find/?q=hello").content.decode()
    assert f'href="/captures/{capture_id}/#choice-0"' in html
    assert "<!doctype html>" in html
    rows = owner.browser().get(
        f"/captures/{capture_id}/find/?q=hello", headers={"HX-Request": "true"}
    )
    assert b"<!doctype" not in rows.content


def test_what_stands_nowhere_is_said_to_stand_nowhere(owner: Person) -> None:
    html = owner.browser().get(f"/captures/{inspected(owner)}/find/?q=xyzzy").content.decode()
    assert "No matches for “xyzzy” in this capture." in html


@pytest.mark.parametrize("hostile", HOSTILE_TEXTS)
def test_hostile_text_is_inert_where_it_is_found_and_where_it_is_asked_for(
    hostile: str, owner: Person
) -> None:
    readable = hostile.encode("utf-8", "replace").decode()
    wire = chunk(delta(0, content=f"here {hostile} there")) + chunk(delta(0, "stop")) + DONE
    capture_id = inspected(owner, wire.encode("utf-8", "replace"), "text/event-stream")
    for asked in ("here", readable):
        answer = owner.browser().get(f"/captures/{capture_id}/find/", {"q": asked})
        assert answer.status_code == 200
        assert_inert(answer.content.decode())


def test_each_block_is_searched_and_found_where_it_stands() -> None:
    ran = blocks.hosted({"type": "web_search_call", "action": {"query": "Bergen"}})
    cited = ({"title": "Bergen"},)
    made = Block(kind=BlockKind.IMAGE, type="image", value={"source": {"url": "https://bergen/"}})
    said = blocks.choice(blocks.text("Bergen?"), ran, made, blocks.text("Yes.", citations=cited))
    assert told(search_capture(view(analysis(said)), "bergen")) == [
        ("choice 0 text 1", 1, "#block-0-0"),
        ("choice 0 web search call", 1, "#block-0-1"),
        ("choice 0 citation", 1, "#block-0-3"),
    ]
