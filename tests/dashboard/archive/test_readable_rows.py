"""Readable parts of the archive's rows, and the order in which these stand."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, FindingRow, Inspection
from inspector.archive.queries import for_principal
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.archive.answer_cell import RowSnippet
from inspector.dashboard.archive.rows import build_rows
from inspector.usage.rollup import queries as usage
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import (
    CUT,
    JSON,
    SSE,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.dashboard.capture.samples import chunk, delta
from tests.markup import evened
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def page(person: Person, query: str = "") -> str:
    return person.page(ARCHIVE + query)


def ids(html: str) -> list[str]:
    return re.findall(r'<tr id="row-([0-9a-f-]+)"', html)


def cell(html: str, name: str) -> str:
    found = re.search(rf'<td class="{name}[^>]*>(.*?)</td>', html, re.DOTALL)
    assert found is not None
    return found[1]


def answer_of(message: Mapping[str, Any]) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return json.dumps({"object": "chat.completion", "model": "m", "choices": [choice]}).encode()


def asked_and_answered(owner: Person, prompt: str, message: Mapping[str, Any]) -> UUID:
    request = Request(body=json.dumps({"messages": [{"role": "user", "content": prompt}]}).encode())
    body = answer_of(message)
    exchange = Exchange(reads=(Read(None, body),), content_type=JSON, request=request)
    capture_id = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    return capture_id


def test_a_row_tells_the_answer_and_below_it_what_was_asked(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    asked_and_answered(owner, "When does it\nclear?", {"content": "On\n\nThursday."})
    for person in (owner, teammate):
        shown = cell(page(person), "col-answer")
        assert "On Thursday." in shown and "When does it clear?" in shown
    assert stranger.browser().get(ARCHIVE).status_code == 404
    elsewhere = stranger.browser().get("/t/elsewhere/captures/").content.decode()
    assert "Thursday" not in elsewhere


def test_text_of_a_model_is_text_and_cannot_turn_the_row_round(owner: Person) -> None:
    hostile = "<script>alert(1)</script> \u202etxt.exe\x07"
    asked_and_answered(owner, "<img src=x> \u2066", {"content": hostile})
    shown = cell(page(owner), "col-answer")
    assert "<script>" not in shown and "<img" not in shown
    assert "&lt;script&gt;" in shown and "&lt;img src=x&gt;" in shown
    assert "\u202e" not in shown and "\x07" not in shown and "\u2066" not in shown
    assert "[RLO]" in shown and "[BEL]" in shown and "[LRI]" in shown


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({"content": ""}, '<code class="blank">empty string</code>'),
        ({"content": None}, '<code class="blank">null</code>'),
        ({"content": "\n\n"}, '<code class="blank">&quot;\\n\\n&quot;</code>'),
        ({"content": None, "refusal": "No."}, '<span class="said">refusal:</span>'),
        ({"content": "", "reasoning": "Hm."}, '<span class="said">in reasoning:</span>'),
    ],
)
def test_what_is_no_text_says_so(owner: Person, message: dict[str, Any], shown: str) -> None:
    inspected(owner, answer_of(message))
    assert shown in cell(page(owner), "col-answer")


def test_a_row_has_the_word_that_it_is_counted_under_and_why_as_its_problem(
    owner: Person,
) -> None:
    unfinished = WHOLE.replace(b'"finish_reason":"stop"', b'"finish_reason":null')
    for body, result, problem in (
        (CUT, "truncated", "The text ends inside a value"),
        (unfinished, "answered", "did not finish"),
    ):
        inspected(owner, body)
        html = page(owner)
        assert f'class="sign result-{result}' in cell(html, "col-result")
        assert problem in cell(html, "col-finding")
        counted = page(owner, f"?q=result:{result}")
        assert ids(counted) == ids(html)[:1]
    inspected(owner, WHOLE)
    assert 'class="sign result-answered tone-good"' in cell(page(owner), "col-result")


def test_a_day_is_written_out_where_it_begins(owner: Person) -> None:
    for hours, capture_id in ((1, accept(owner)), (2, accept(owner)), (26, accept(owner))):
        at = datetime(2026, 3, 9, 23, tzinfo=UTC) - timedelta(hours=hours)
        Capture.objects.filter(pk=capture_id).update(received_at=at, called_at=at)
    days = re.findall(r'<span\s+(class="again")?>(\d\d Mar)</span> (\d\d:00)</time>', page(owner))
    assert days == [
        ("", "09 Mar", "22:00"),
        ('class="again"', "09 Mar", "21:00"),
        ("", "08 Mar", "21:00"),
    ]


def test_a_row_names_the_key_that_sent_it(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner)
    (row,) = for_principal(teammate.principal).page().rows
    assert (row.id, row.key) == (capture_id, "olga's service")
    assert ">olga&#x27;s service</td>" in page(teammate)


def test_the_worst_findings_are_asked_for_once_however_many_rows_have_some(owner: Person) -> None:
    for _ in range(4):
        inspected(owner, CUT)
    browser = owner.browser()
    browser.get(ARCHIVE)
    with CaptureQueriesContext(connection) as asked:
        browser.get(ARCHIVE)
    of_findings = [each for each in asked.captured_queries if "archive_findingrow" in each["sql"]]
    assert len(of_findings) == 1
    assert not any("archive_document" in each["sql"] for each in asked.captured_queries)
    assert not any("archive_evidence" in each["sql"] for each in asked.captured_queries)


def test_worst_finding_is_the_first_of_highest_severity(owner: Person, stranger: Person) -> None:
    capture_id = inspected(owner)
    FindingRow.objects.bulk_create(
        FindingRow(capture_id=capture_id, source=source, position=position, code=code,
                   severity=severity, message=code)
        for source, position, code, severity in (
            ("a", 0, "a.note", "info"), ("a", 1, "a.warning", "warning"),
            ("b", 2, "b.error", "error"), ("b", 7, "b.later-error", "error"),
        )
    )  # fmt: skip
    worst = for_principal(owner.principal).worst_findings([capture_id])
    assert worst[capture_id].code == "b.error"
    assert for_principal(stranger.principal).worst_findings([capture_id]) == {}
    assert for_principal(owner.principal).worst_findings([]) == {}


def test_row_headline_and_findings_name_the_same_problem(owner: Person) -> None:
    schema = {"type": "object", "required": ["place"]}
    tool = {"type": "function", "function": {"name": "book", "parameters": schema}}
    request = Request(body=json.dumps({"messages": [], "tools": [tool]}).encode())
    called = {"name": "book", "arguments": "{}"}
    call = {"index": 0, "id": "c", "type": "function", "function": called}
    events = [
        chunk(delta(0, role="assistant", tool_calls=[call])),
        chunk(delta(0, "tool_calls")).replace('"chatcmpl-1"', '"chatcmpl-2"'),
        "data: [DONE]\n\n",
    ]
    exchange = Exchange.of_body("".join(events).encode(), SSE)
    submission = Submission(msgspec.structs.replace(exchange, request=request))
    capture_id = accept_arrival(owner, submission).id
    inspect_all()
    html = owner.page(f"/captures/{capture_id}/")
    names = [re.sub(r"<[^>]+>", "", each) for each in (
        cell(page(owner), "col-finding"), html.partition("<h1")[2].partition("</h1>")[0],
        html.partition('id="finding-1"')[2].partition("</h3>")[0],
    )]  # fmt: skip
    assert ["arguments of book" in each for each in names] == [True, True, True]
    assert not any("changed within the stream" in each for each in names)


def test_a_head_sorts_by_its_column_and_then_the_other_way(owner: Person) -> None:
    first, second, third = (inspected(owner) for _ in range(3))
    Inspection.objects.filter(pk=first).update(first_token_us=200)
    Inspection.objects.filter(pk=third).update(first_token_us=900)
    html = page(owner, "?sort=-first_token&verdict=complete")
    assert ids(html) == [str(third), str(first), str(second)]
    assert 'aria-sort="descending"' in html
    assert (
        f'<a tabindex="-1" href="{ARCHIVE}?sort=first_token&amp;q=verdict:complete">first s</a>'
        in evened(html)
    )
    assert f'<a tabindex="-1" href="{ARCHIVE}?q=verdict:complete">time</a>' in evened(html)
    html = page(owner, "?sort=first_token")
    assert ids(html) == [str(first), str(third), str(second)]
    assert 'aria-sort="ascending"' in html
    assert "Fastest first token first; those without a recorded first token come last" in html


def test_nothing_arrives_in_a_list_that_is_sorted_and_the_page_says_so(owner: Person) -> None:
    inspected(owner)
    html = page(owner, "?sort=size&tail=1")
    assert "New captures are not added while this is open" in html
    assert 'id="live"' not in html and 'id="tail"' not in html
    assert 'id="live"' in page(owner, "?sort=-called")
    assert 'id="live"' not in page(owner, "?sort=-arrival")
    assert 'id="live"' in page(owner, "?sort=nonsense")


def test_a_sorted_list_goes_on_in_its_order(owner: Person, stranger: Person) -> None:
    for _ in range(52):
        accept_arrival(owner, Submission(Exchange.of_body(WHOLE, JSON)))
    first = page(owner, "?sort=size&state=received")
    following = re.search(r'<a rel="next" href="(\?before=[^"]+)"', evened(first))
    assert following is not None
    address = following[1].replace("&amp;", "&")
    second = page(owner, address)
    assert (len(ids(first)), len(ids(second))) == (50, 2)
    assert "No more." in second and "sort=size&amp;q=state:received" in second
    assert stranger.browser().get(f"{ARCHIVE}{address}").status_code == 404
    assert owner.browser().get(f"{ARCHIVE}?sort=cost&before=1-x").status_code == 404


def test_captures_of_an_earlier_version_get_their_lines(owner: Person) -> None:
    capture_id = asked_and_answered(owner, "When?", {"content": "On Thursday."})
    grow_old(capture_id)
    Inspection.objects.update(answer_kind=None, answer_line=None, prompt_line=None)
    assert "analysed by an earlier version" in cell(page(owner), "col-answer")
    read_everything_again()
    shown = cell(page(owner), "col-answer")
    assert "On Thursday." in shown and "When?" in shown


def test_a_hit_stands_in_place_of_the_answer(owner: Person) -> None:
    capture_id = asked_and_answered(owner, "When?", {"content": "It clears on Thursday."})
    captures = for_principal(owner.principal)
    snippets = {capture_id: RowSnippet("…on Thursday.", "text", ((4, 12),))}
    sums = usage.for_principal(owner.principal)
    (row,) = build_rows(captures.page().rows, sums, captures, snippets)
    assert row.answer.find == "find=Thursday"
    assert [part.is_hit for part in row.answer.parts] == [False, True, False]
