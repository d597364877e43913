import gzip
import json
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import OperationalError

from api.captures import batch
from inspector.archive.intake import submission
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.models import Capture, Evidence
from inspector.archive.storage import disk_space, evidence
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import Principal
from tests.archive.disks import disk
from tests.archive.samples import inspect_all
from tests.people import Answer, Person

BATCH = "/api/v1/captures/batch/"
NDJSON = "application/x-ndjson"


def line(body: str = "{}", **more: Any) -> bytes:
    return json.dumps({"response": {"status": 200, "body": body}, **more}).encode() + b"\n"


def send(person: Person, body: bytes, query: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return person.post(BATCH + query, body, NDJSON, named)


def results(answer: Answer) -> list[dict[str, Any]]:
    assert (answer.status, answer.headers["Content-Type"]) == (200, NDJSON)
    return [json.loads(text) for text in answer.body.splitlines()]


def told(answer: Answer) -> list[tuple[int, int, str | None]]:
    found = results(answer)
    return [(r["line"], r["status"], r.get("error", {}).get("code")) for r in found]


def test_each_line_is_a_capture_and_has_its_result_in_order(owner: Person) -> None:
    body = line('{"a":1}', tags=["x"]) + line('{"b":2}') + line('{"c":3}')
    found = results(send(owner, body))
    assert [(r["line"], r["status"], r["state"]) for r in found] == [
        (1, 202, "received"),
        (2, 202, "received"),
        (3, 202, "received"),
    ]
    for number, result in enumerate(found):
        raw = owner.get(f"/api/v1/captures/{result['id']}/raw/").body
        assert raw == [b'{"a":1}', b'{"b":2}', b'{"c":3}'][number]
        assert set(result) == {"line", "status", "id", "state", "duplicate", "url", "page"}
    inspect_all()
    assert set(Capture.objects.values_list("state", flat=True)) == {"inspected"}


def test_a_line_that_is_refused_does_not_stop_the_others(owner: Person) -> None:
    body = b"".join(
        [
            line(),
            b"nope\n",
            b"\n",
            b'{"response":{"body":"{}"},"team":"elsewhere"}\n',
            b"[]\n",
            b'{"a":' * 2_000 + b"1" + b"}" * 2_000 + b"\n",
            line(idempotency_key="a\x7f"),
            line(tags=["a"] * 33),
            line()[:-1] + b"\r\n",
        ]
    )
    assert told(send(owner, body)) == [
        (1, 202, None),
        (2, 400, "invalid_json"),
        (3, 400, "body_empty"),
        (4, 422, "invalid_envelope"),
        (5, 422, "invalid_envelope"),
        (6, 400, "invalid_json"),
        (7, 422, "invalid_idempotency_key"),
        (8, 422, "invalid_envelope"),
        (9, 202, None),
    ]
    assert Capture.objects.count() == 2


def test_a_last_line_without_its_end_is_told_and_not_stored(owner: Person) -> None:
    assert told(send(owner, line() + line()[:-1])) == [
        (1, 202, None),
        (2, 400, "line_unterminated"),
    ]
    assert Capture.objects.count() == 1


@pytest.mark.parametrize("cut", [1, 10, len(line()), len(line()) + 5])
def test_an_upload_that_is_cut_is_told_wherever_it_is_cut(owner: Person, cut: int) -> None:
    whole = line() * 3
    answer = send(owner, whole[:-cut], Content_Length=str(len(whole)))
    *_, last = told(answer)
    assert last[1:] in [(400, "line_unterminated"), (400, "body_incomplete")]
    assert Capture.objects.count() == len(whole[:-cut]) // len(line())


def test_a_line_over_the_limit_is_one_refused_line(owner: Person, settings: LazySettings) -> None:
    settings.MAX_BODY_BYTES = 1_000
    body = line() + line("a" * 1_000) + line()
    assert told(send(owner, body)) == [(1, 202, None), (2, 413, "body_too_large"), (3, 202, None)]


def test_after_the_last_line_that_is_taken_one_result_says_so(
    owner: Person, settings: LazySettings
) -> None:
    settings.MAX_BATCH_LINES = 2
    assert told(send(owner, line() * 5)) == [
        (1, 202, None),
        (2, 202, None),
        (3, 413, "batch_too_large"),
    ]
    assert Capture.objects.count() == 2


def test_a_batch_over_its_limit_is_refused_or_ended(owner: Person, settings: LazySettings) -> None:
    settings.MAX_BATCH_BYTES = 3 * len(line()) - 1
    refused = send(owner, line() * 3)
    assert (refused.status, refused.code) == (413, "batch_too_large")
    assert not Capture.objects.exists()
    packed = gzip.compress(line() * 3)
    assert told(send(owner, packed, Content_Encoding="gzip"))[-1][1:] == (413, "batch_too_large")


def test_a_coding_is_undone_on_the_way(owner: Person) -> None:
    packed = gzip.compress(line() * 2)
    assert told(send(owner, packed, Content_Encoding="gzip")) == [(1, 202, None), (2, 202, None)]
    cut = told(send(owner, packed[:-9], Content_Encoding="gzip"))
    assert cut[-1][1:] == (400, "coding_broken")


def test_results_that_fill_the_memory_are_sent_from_a_file(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MEMORY_BYTES", 100)
    assert told(send(owner, line() * 3)) == [(n, 202, None) for n in (1, 2, 3)]


def test_a_resend_of_a_batch_stores_nothing_twice(owner: Person) -> None:
    body = line(idempotency_key="a") + line(idempotency_key="b")
    first, again = results(send(owner, body)), results(send(owner, body))
    assert [(r["status"], r["duplicate"]) for r in first] == [(202, False)] * 2
    assert [(r["status"], r["duplicate"]) for r in again] == [(200, True)] * 2
    assert [r["id"] for r in again] == [r["id"] for r in first]
    other = line('{"other":1}', idempotency_key="a")
    assert told(send(owner, other)) == [(1, 409, "idempotency_key_reused")]


def test_the_query_is_said_of_every_line(owner: Person) -> None:
    body = line(tags=["own"]) + line()
    send(owner, body, "?tag=all&note=together&dialect=openai-chat")
    found = Capture.objects.order_by("received_at", "id")
    assert [capture.tags for capture in found] == [["own", "all"], ["all"]]
    assert {(capture.note, capture.dialect_hint) for capture in found} == {
        ("together", "openai-chat")
    }


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("?wait=5", {}, 422),
        ("?tag=", {}, 422),
        ("?dialect=esperanto", {}, 422),
        ("", {"Idempotency_Key": "a"}, 422),
        ("", {"Content_Encoding": "br"}, 415),
        ("", {"Content_Length": "-1"}, 400),
        ("", {"Content_Length": "0"}, 400),
    ],
)
def test_what_is_wrong_for_all_lines_is_said_once(
    owner: Person, query: str, headers: dict[str, str], status: int
) -> None:
    answer = send(owner, line(), query, **headers)
    assert answer.status == status
    assert set(answer.json) == {"error"}
    assert not Capture.objects.exists()


def test_where_the_database_is_away_every_line_is_told_and_it_is_asked_once(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fails(*args: object) -> None:
        asked.append(args)
        raise OperationalError("away")

    settings.BATCH_COMMIT_LINES = 2
    monkeypatch.setattr(submission, "accept_batch", fails)
    body = line() + b"nope\n" + line() * 3
    assert told(send(owner, body)) == [
        (1, 503, "unavailable"),
        (2, 400, "invalid_json"),
        (3, 503, "unavailable"),
        (4, 503, "unavailable"),
        (5, 503, "unavailable"),
    ]
    assert len(asked) == 1


def test_lines_are_committed_together_and_no_more_of_them_than_that(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = []

    def counted(
        principal: Principal, arrivals: list[Submission], scope: str
    ) -> list[Accepted | IdempotencyKeyReused]:
        groups.append(len(arrivals))
        return accept_together(principal, arrivals, scope)

    accept_together = submission.accept_batch
    monkeypatch.setattr(submission, "accept_batch", counted)
    settings.BATCH_COMMIT_LINES, settings.BATCH_COMMIT_BYTES = 3, 1_000
    body = line() * 4 + line("a" * 1_000) + line()
    assert told(send(owner, body)) == [(n, 202, None) for n in range(1, 7)]
    assert groups == [3, 2, 1]


def test_a_line_that_cannot_be_stored_does_not_harm_its_neighbours(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = evidence.pack

    def fails_for_one(capture: Capture, exchange: Exchange, body: bytes, *more: Any) -> Evidence:
        if body == b"CANARY":
            raise RuntimeError("CANARY")
        return pack(capture, exchange, body, *more)

    monkeypatch.setattr(evidence, "pack", fails_for_one)
    answer = send(owner, line() + line("CANARY") + line())
    assert told(answer) == [(1, 202, None), (2, 500, "internal_error"), (3, 202, None)]
    assert b"CANARY" not in answer.body
    assert Capture.objects.count() == 2


def test_a_fault_of_ours_while_a_line_is_read_is_that_lines(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, asked = batch.submission_of_line, []

    def fails_first(*args: Any) -> Any:
        asked.append(args)
        if len(asked) == 1:
            raise RuntimeError("CANARY")
        return read(*args)

    monkeypatch.setattr(batch, "submission_of_line", fails_first)
    assert told(send(owner, line() * 2)) == [(1, 500, "internal_error"), (2, 202, None)]


def test_a_key_that_stands_in_two_lines_is_one_capture(owner: Person) -> None:
    body = line(idempotency_key="a") * 2 + line("other", idempotency_key="a")
    assert told(send(owner, body)) == [
        (1, 202, None),
        (2, 200, None),
        (3, 409, "idempotency_key_reused"),
    ]
    assert Capture.objects.count() == 1


@pytest.mark.embedded
def test_a_nearly_full_disk_is_told_to_every_line(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space.os, "statvfs", lambda path: disk(total=1 << 40, left=1 << 20))
    assert told(send(owner, line() * 2)) == [(n, 503, "storage_full") for n in (1, 2)]
    assert not Capture.objects.exists()


def test_a_batch_belongs_to_the_team_of_its_key(owner: Person, stranger: Person) -> None:
    (result,) = results(send(owner, line()))
    assert stranger.get(f"/api/v1/captures/{result['id']}/").status == 404
    assert stranger.get("/api/v1/captures/").json["captures"] == []
