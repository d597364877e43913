"""Files of other programs by the interface: each entry stored, refused or passed over on its own."""

import gzip
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings

from api.captures import files
from inspector.archive.intake.sent_with import SentWith, submission_of_line
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.operations.sweeping import Sweep
from inspector.teams.access import READ
from inspector.teams.keys import create_api_key
from inspector.transfer.files.envelope_lines import envelope_line
from inspector.transfer.files.registry import RecognisedFile
from inspector.transfer.uploads import files as uploaded_files
from tests.people import Answer, Person, ask, bearer
from tests.transfer.files.reading_files import WHOLE, file_of

FILE = "/api/v1/captures/file/"
OTHER = WHOLE.replace(b"c1", b"c2")
BATCH_LINE = (
    b'{"id":"b1","custom_id":"a","response":{"status_code":200,"body":'
    + WHOLE
    + b'},"error":null}\n'
)
EXPIRED = b'{"id":"b2","custom_id":"b","response":null,"error":{"code":"batch_expired","message":"late"}}\n'


def send(person: Person, body: bytes, query: str = "") -> Answer:
    return person.post(FILE + query, body, "application/octet-stream")


def stored(answer: Answer) -> dict[str, Any]:
    assert answer.status == 200, answer.body
    found: dict[str, Any] = json.loads(answer.body)
    return found


def told(answer: Answer) -> list[tuple[int, int, str | None]]:
    entries = stored(answer)["entries"]
    return [(e["entry"], e["status"], e.get("error", {}).get("code")) for e in entries]


def test_each_entry_is_a_capture_and_what_is_none_is_told(owner: Person) -> None:
    answer = send(
        owner,
        BATCH_LINE + EXPIRED + b"{broken\n" + BATCH_LINE.replace(b'"a"', b'"c"'),
        "?tag=night",
    )
    assert told(answer) == [
        (1, 202, None),
        (2, 204, None),
        (3, 422, "unreadable_entry"),
        (4, 202, None),
    ]
    found = stored(answer)
    assert (found["kind"], found["body"], found["unknown"]) == (
        "openai-batch",
        "embedded",
        "times, and the request",
    )
    assert found["entries"][1]["passed_over"] == "no response came: batch_expired: late"
    first = found["entries"][0]
    assert owner.get(f"/api/v1/captures/{first['id']}/raw/").body == WHOLE
    detail = json.loads(owner.get(f"/api/v1/captures/{first['id']}/").body)
    assert detail["tags"] == ["night"]
    assert detail["exchange"]["metadata"] == {
        "custom_id": "a",
        "batch_id": "b1",
        "file_kind": "openai-batch",
        "file_body": "embedded",
    }


def test_a_file_that_is_sent_twice_is_stored_once(owner: Person) -> None:
    body = WHOLE + b"\n" + OTHER
    assert told(send(owner, body)) == [(1, 202, None), (2, 202, None)]
    assert told(send(owner, body, "?tag=again")) == [(1, 200, None), (2, 200, None)]
    assert Capture.objects.count() == 2


def har(secret: str) -> bytes:
    entry = {
        "startedDateTime": "2026-03-01T12:00:00Z",
        "request": {
            "method": "POST",
            "url": "https://api.example/v1/chat/completions",
            "headers": [{"name": "Authorization", "value": f"Bearer {secret}"}],
        },
        "response": {
            "status": 200,
            "headers": [],
            "content": {"mimeType": "application/json", "text": WHOLE.decode()},
        },
    }
    return json.dumps({"log": {"entries": [entry]}}).encode()


def test_what_the_command_sent_before_is_known(owner: Person) -> None:
    file = file_of(har("hunter2"))
    [entry] = file.entries()
    line = envelope_line(entry.content, file.kind)  # type: ignore[arg-type]
    owner.post("/api/v1/captures/batch/", line, "application/x-ndjson")
    assert told(send(owner, har("hunter2"))) == [(1, 200, None)]


def test_credentials_are_removed_and_counted(owner: Person) -> None:
    [entry] = stored(send(owner, har("hunter2")))["entries"]
    answer = owner.get(f"/api/v1/captures/{entry['id']}/")
    assert b"hunter2" not in answer.body
    detail = json.loads(answer.body)
    assert detail["removed"]["request_headers"] == 1
    assert detail["exchange"]["started_at"] == "2026-03-01T12:00:00.000000Z"


def test_any_other_body_is_one_entry(owner: Person) -> None:
    found = stored(send(owner, b"hello"))
    assert (found["kind"], [e["status"] for e in found["entries"]]) == ("body", [202])


def test_a_compressed_file_is_opened_only_where_the_request_says_so(owner: Person) -> None:
    lines = gzip.compress(WHOLE + b"\n" + OTHER)
    assert stored(send(owner, lines))["kind"] == "body"
    answer = owner.post(FILE, lines, "application/octet-stream", {"Content-Encoding": "gzip"})
    assert stored(answer)["kind"] == "answers"


@pytest.mark.parametrize(
    "body", [b"\n".join([WHOLE] * 3), b"[%s,{},{}]" % WHOLE, b'{"log":{"entries":[{},{},{}]}}']
)
def test_a_file_of_more_entries_than_a_batch_is_refused_before_one_is_read(
    body: bytes, owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAX_BATCH_LINES = 2
    monkeypatch.setattr(files, "file_entries", lambda *_: pytest.fail("an entry was read"))
    refused = send(owner, body)
    assert (refused.status, refused.code) == (413, "batch_too_large")
    assert "smaller files" in refused.json["error"]["message"]


def test_a_file_of_as_many_entries_as_a_batch_is_stored(
    owner: Person, settings: LazySettings
) -> None:
    settings.MAX_BATCH_LINES = 2
    assert told(send(owner, WHOLE + b"\n" + OTHER)) == [(1, 202, None), (2, 202, None)]


def test_a_larger_file_is_kept_as_it_is_and_cut_later_as_a_small_one_is(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = stored(send(owner, BATCH_LINE, "?tag=night"))["entries"][0]
    monkeypatch.setattr(files, "ENTRIES_AT_ONCE", 1)
    body = BATCH_LINE + EXPIRED + b"{broken\n" + BATCH_LINE.replace(b'"a"', b'"c"')
    answer = send(owner, body, "?tag=night")
    assert (answer.status, answer.json["state"], answer.json["entries"]) == (202, "open", 0)
    assert send(owner, body, "?tag=night").json["id"] == answer.json["id"]
    assert send(owner, body, "?tag=day").json["id"] != answer.json["id"]
    Sweep(5.0).to_the_end()
    path = urlsplit(answer.headers["Location"]).path
    found = owner.get(path).json
    assert (found["state"], found["entries"], found["captures"]) == ("finished", 4, 2)
    assert [(each["number"], each["code"]) for each in found["left"]] == [
        (2, "passed_over"),
        (3, "unreadable_entry"),
    ]
    assert Capture.objects.count() == 2
    new = Capture.objects.exclude(pk=small["id"]).get()
    assert (new.tags, new.metadata["custom_id"]) == (["night"], "c")


def test_entries_that_only_reading_tells_apart_are_counted_by_it(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ENTRIES_AT_ONCE", 1)
    monkeypatch.setattr(RecognisedFile, "holds_more_than", lambda *_: False)
    assert send(owner, WHOLE + b"\n" + OTHER).status == 202
    assert send(owner, WHOLE).status == 200


def test_what_only_cutting_finds_to_be_too_many_is_told_by_the_upload(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ENTRIES_AT_ONCE", 1)
    answer = send(owner, b"\n".join([WHOLE, OTHER, WHOLE, WHOLE]))
    settings.MAX_BATCH_LINES = 2
    Sweep(5.0).to_the_end()
    found = owner.get(urlsplit(answer.headers["Location"]).path).json
    assert (found["captures"], len(found["left"])) == (2, 1)
    assert (found["left"][0]["number"], found["left"][0]["code"]) == (3, "batch_too_large")


def test_an_entry_that_fails_by_a_fault_of_ours_is_told_alone(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = submission_of_line

    def fails_once(line: bytes, sent: SentWith) -> Submission:
        if b"c2" in line:
            raise LookupError
        return read(line, sent)

    monkeypatch.setattr(uploaded_files, "submission_of_line", fails_once)
    assert told(send(owner, WHOLE + b"\n" + OTHER)) == [(1, 202, None), (2, 500, "internal_error")]


def test_a_file_over_the_limit_of_a_body_is_refused(owner: Person, settings: LazySettings) -> None:
    settings.MAX_BODY_BYTES = 1_000
    assert send(owner, WHOLE * 10).status == 413


@pytest.mark.parametrize("query", ["?tag=", "?dialect=nonsense", "?unknown=1"])
def test_a_wrong_parameter_is_told_before_anything_is_stored(owner: Person, query: str) -> None:
    assert send(owner, WHOLE, query).status == 422
    assert Capture.objects.count() == 0


def test_only_keys_that_send_may(owner: Person, stranger: Person) -> None:
    reader = bearer(create_api_key(owner.team, "reader", [READ]))
    assert ask("POST", FILE, WHOLE, "application/octet-stream", reader).status == 403
    assert ask("POST", FILE, WHOLE, "application/octet-stream").status == 401
    [entry] = stored(send(stranger, WHOLE))["entries"]
    assert owner.get(f"/api/v1/captures/{entry['id']}/").status == 404
