from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, State
from inspector.core.analysis import Verdict
from inspector.core.completion import Choice
from inspector.core.wire.exchange import Exchange
from tests.archive.older import grow_old, read_everything_again
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
from tests.people import Person

CAPTURES = "/api/v1/captures/"
PARTS = ("", "raw/", "completion/", "timeline/", "findings/")


def test_what_is_posted_is_stored_and_told_where(owner: Person) -> None:
    answer = owner.post(CAPTURES, WHOLE)
    capture_id = answer.json["id"]
    assert answer.status == 202
    assert answer.json == {
        "id": capture_id,
        "state": "received",
        "duplicate": False,
        "url": f"http://127.0.0.1:8000/api/v1/captures/{capture_id}/",
        "page": f"http://127.0.0.1:8000/captures/{capture_id}/",
    }
    assert Capture.objects.get(pk=capture_id).team == owner.team


@pytest.mark.parametrize(
    ("content_type", "shown_as"),
    [
        ("application/json", "text/plain; charset=utf-8"),
        ("text/html", "text/plain; charset=utf-8"),
        ("text/event-stream; charset=utf-8", "text/plain; charset=utf-8"),
        ("image/svg+xml", "application/octet-stream"),
        ("application/json;;=", "text/plain; charset=utf-8"),
        ("", "application/octet-stream"),
        ("\xff", "application/octet-stream"),
    ],
)
def test_the_bytes_come_back_exactly_and_are_never_rendered(
    owner: Person, content_type: str, shown_as: str
) -> None:
    body = b"<script>alert(1)</script>\r\n\0\xff"
    capture_id = owner.post(CAPTURES, body, content_type).json["id"]
    answer = owner.get(f"{CAPTURES}{capture_id}/raw/")
    assert answer.body == body
    assert answer.headers["Content-Type"] == shown_as
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["Content-Disposition"].startswith(f'attachment; filename="{capture_id}.')


def test_a_capture_tells_its_analysis_once_it_is_inspected(owner: Person) -> None:
    capture_id = owner.post(CAPTURES, WHOLE).json["id"]
    assert owner.get(f"{CAPTURES}{capture_id}/").json["analysis"] is None
    assert owner.get(f"{CAPTURES}{capture_id}/").json["ledger"] is None
    inspect_all()
    found = owner.get(f"{CAPTURES}{capture_id}/").json
    assert (found["state"], found["verdict"], found["model"]) == ("inspected", "complete", "gpt-4o")
    assert found["analysis"]["choices"][0]["content"] == "Hello"
    assert found["sha256"] == Capture.objects.get(pk=capture_id).sha256
    assert found["received_at"].endswith("Z")


def test_the_parts_of_an_inspected_stream(owner: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    completion = owner.get(f"{CAPTURES}{capture_id}/completion/").json
    assert completion["choices"][0]["message"]["content"] == "Hello"
    tape = owner.get(f"{CAPTURES}{capture_id}/timeline/").json
    assert tape["events"]["kind"] == ["chunk", "chunk", "end-mark"]
    assert tape["pieces"]["length_u16"] == [3, 2]
    findings = owner.get(f"{CAPTURES}{capture_id}/findings/").json["findings"]
    assert findings == owner.get(f"{CAPTURES}{capture_id}/").json["analysis"]["findings"]


def test_findings_name_what_is_wrong_and_where(owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    findings = owner.get(f"{CAPTURES}{capture_id}/findings/").json["findings"]
    assert any(finding["severity"] in ("warning", "error") for finding in findings)
    assert all({"code", "severity", "message", "where"} == set(finding) for finding in findings)


@pytest.mark.parametrize("part", ["completion/", "timeline/", "findings/"])
def test_what_is_not_inspected_yet_has_no_parts_yet(owner: Person, part: str) -> None:
    capture_id = accept(owner)
    answer = owner.get(f"{CAPTURES}{capture_id}/{part}")
    assert (answer.status, answer.code) == (409, "not_inspected")
    assert answer.headers["Retry-After"] == "1"
    Capture.objects.filter(pk=capture_id).update(state=State.QUARANTINED)
    assert "Retry-After" not in owner.get(f"{CAPTURES}{capture_id}/{part}").headers


def test_bytes_without_a_completion_have_none(owner: Person) -> None:
    capture_id = inspected(owner, b"<html>", "text/html")
    answer = owner.get(f"{CAPTURES}{capture_id}/completion/")
    assert (answer.status, answer.code) == (404, "no_completion")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("capture_id", ["1", "x", "0" * 33, "%00", "'", "..", "latest", "null"])
def test_what_is_no_id_is_missing_too(owner: Person, capture_id: str, part: str) -> None:
    answer = owner.get(f"{CAPTURES}{capture_id}/{part}")
    assert (answer.status, answer.code) == (404, "not_found")


def test_every_spelling_of_an_id_is_that_id(owner: Person) -> None:
    capture_id = inspected(owner)
    for spelling in (
        str(capture_id).upper(),
        capture_id.hex,
        f"{{{capture_id}}}",
        f"urn:uuid:{capture_id}",
    ):
        assert owner.get(f"{CAPTURES}{spelling}/").json["id"] == str(capture_id)


def test_the_list_is_sorted_and_paged_in_its_order(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    bodies = [WHOLE + b" " * extra for extra in (5, 1, 9)]
    small, smallest, large = (str(inspected(owner, body)) for body in bodies)
    for person in (owner, teammate):
        first = person.get(f"{CAPTURES}?sort=-size&limit=2").json
        assert [each["id"] for each in first["captures"]] == [large, small]
        assert first["latest_cursor"] is None
        rest = person.get(f"{CAPTURES}?sort=-size&limit=2&cursor={first['next_cursor']}").json
        assert [each["id"] for each in rest["captures"]] == [smallest]
        assert rest["next_cursor"] is None
    assert stranger.get(f"{CAPTURES}?sort=-size").json["captures"] == []


@pytest.mark.parametrize(
    "query", ["sort=price", "sort=", "sort=size&sort=cost", "sort=size&after=1-" + "0" * 32,
              "sort=size&cursor=1-" + "0" * 32],
)  # fmt: skip
def test_a_sort_that_is_not_known_is_refused(owner: Person, query: str) -> None:
    answer = owner.get(f"{CAPTURES}?{query}")
    assert (answer.status, answer.code) == (422, "invalid_parameter")


def test_a_row_tells_the_answer_on_one_line(owner: Person) -> None:
    inspected(owner, WHOLE)
    (row,) = owner.get(CAPTURES).json["captures"]
    assert (row["answer_kind"], row["answer_line"]) == ("text", "Hello")
    assert (row["answer_blank"], row["prompt_line"]) == (None, None)


def test_the_list_is_paged_newest_first(owner: Person, stranger: Person) -> None:
    ids = [str(accept(owner)) for _ in range(5)]
    accept(stranger)
    first = owner.get(f"{CAPTURES}?limit=3").json
    second = owner.get(f"{CAPTURES}?limit=3&cursor={first['next_cursor']}").json
    found = [row["id"] for row in first["captures"] + second["captures"]]
    assert found == ids[::-1]
    assert second["next_cursor"] is None
    assert first["latest_cursor"] == second["latest_cursor"]
    ids += [str(accept(owner)) for _ in range(2)]
    newer = owner.get(f"{CAPTURES}?after={first['latest_cursor']}").json
    assert [row["id"] for row in newer["captures"]] == ids[:4:-1]


def test_a_call_that_is_sent_later_stands_at_its_time_and_is_told_to_who_follows(
    owner: Person, subtests: pytest.Subtests
) -> None:
    young = str(accept(owner))
    page = owner.get(CAPTURES).json
    began = datetime.now(UTC) - timedelta(days=30)
    old = str(accept_arrival(owner, Submission(Exchange.of_body(WHOLE), started_at=began)).id)
    (row, later) = owner.get(CAPTURES).json["captures"]
    assert (row["id"], later["id"], later["called_at"]) == (young, old, later["started_at"])
    assert later["received_at"] > row["received_at"] == row["called_at"]
    for query, told in [
        (f"after={page['latest_cursor']}", [old]),
        (f"after={page['latest_cursor']}&sort=-arrival", [old]),
        ("sort=-arrival", [old, young]),
        ("sort=started", [old, young]),
        ("since=1h", [young]),
        ("until=1h", [old]),
        ("q=arrived_since:1h", [young, old]),
        ("q=arrived_until:1h", []),
        ("q=started_since:1h", [young]),
    ]:
        with subtests.test(query=query):
            found = owner.get(f"{CAPTURES}?{query}").json["captures"]
            assert [each["id"] for each in found] == told


@pytest.mark.parametrize(
    "query",
    [
        "team__slug=x&key__hash__startswith=a",
        "order_by=team__apikey__hash",
        "te%00am=1",
        "limit=5&limit=6",
        "limit=0",
        "limit=-1",
        "limit=1e3",
        "limit=%D9%A3",
        "limit=99999999999",
        "cursor=x",
        "after=1-2",
        "cursor=%00",
    ],
)
def test_the_list_refuses_what_it_does_not_know(owner: Person, query: str) -> None:
    answer = owner.get(f"{CAPTURES}?{query}")
    assert answer.status == 422
    name = query.partition("=")[0].replace("te%00am", "te\\x00am")
    if "cursor" not in name and "after" not in name:
        assert name in answer.json["error"]["message"]


@pytest.mark.parametrize("part", PARTS)
def test_no_route_takes_a_parameter_it_does_not_know(owner: Person, part: str) -> None:
    answer = owner.get(f"{CAPTURES}{inspected(owner)}/{part}?verbose=1")
    assert (answer.status, answer.code) == (422, "unknown_parameter")
    assert "'verbose'" in answer.json["error"]["message"]


def test_a_page_is_never_longer_than_its_limit_allows(owner: Person) -> None:
    accept(owner)
    assert len(owner.get(f"{CAPTURES}?limit=999999").json["captures"]) == 1


def test_odd_text_from_a_provider_is_valid_json_all_the_way(owner: Person) -> None:
    odd = rb"\ud800 \u0000 \u00e9"
    capture_id = inspected(owner, WHOLE.replace(b"Hello", odd).replace(b"gpt-4o", odd))
    for part in PARTS[:1] + PARTS[2:]:
        assert owner.get(f"{CAPTURES}{capture_id}/{part}").body.isascii()
    choice = owner.get(f"{CAPTURES}{capture_id}/").json["analysis"]["choices"][0]
    assert choice["content"].endswith(" \0 é")
    (row,) = owner.get(CAPTURES).json["captures"]
    assert row["model"].endswith(" \\u0000 é")


def test_ids_tell_their_order_and_nothing_else(owner: Person) -> None:
    assert UUID(owner.post(CAPTURES, WHOLE).json["id"]).version == 7


def test_a_capture_that_was_read_again_tells_what_changed(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    assert owner.get(f"{CAPTURES}{capture_id}/").json["previous"] is None
    grow_old(capture_id, verdict=Verdict.MISSING_FINISH, dialect=None)
    read_everything_again()
    for person in (owner, teammate):
        assert person.get(f"{CAPTURES}{capture_id}/").json["previous"] == {
            "analysis_version": 0,
            "changes": [
                {
                    "kind": "value",
                    "subject": "/verdict",
                    "before": "missing-finish",
                    "after": "complete",
                    "pointer": None,
                    "at": None,
                },
                {
                    "kind": "value",
                    "subject": "/dialect",
                    "before": None,
                    "after": "openai-chat",
                    "pointer": None,
                    "at": None,
                },
            ],
            "omitted": 0,
        }
    assert stranger.get(f"{CAPTURES}{capture_id}/").status == 404


def test_more_changes_than_a_list_holds_are_counted(owner: Person) -> None:
    choices = b",".join(b'{"index":%d,"finish_reason":"stop"}' % n for n in range(130))
    capture_id = inspected(owner, b'{"object":"chat.completion","choices":[' + choices + b"]}")
    now = owner.get(f"{CAPTURES}{capture_id}/").json["analysis"]["choices"]
    others = tuple(Choice(index=n, finish_reason="length") for n in range(len(now)))
    grow_old(capture_id, choices=others)
    read_everything_again()
    previous = owner.get(f"{CAPTURES}{capture_id}/").json["previous"]
    assert len(previous["changes"]) == 100
    assert previous["omitted"] >= 30
