"""Limits on what a key may have taken apart in web, and for how long."""

import itertools
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import NoReturn

import pytest
from django.conf import LazySettings

from api import arrival, upload_limits
from api.captures import batch, files
from api.telemetry import traces
from inspector.archive.intake import exchange_envelope
from inspector.archive.models import Capture
from inspector.archive.readers import on_demand
from inspector.teams.access import TELEMETRY
from inspector.teams.keys import create_api_key
from inspector.transfer.telemetry import protobuf
from inspector.web.token_buckets import TokenBuckets
from tests.people import Answer, Person, ask, bearer
from tests.steps import steps
from tests.transfer.files.reading_files import WHOLE, file_of

ENVELOPE = b'{"response":{"status":200,"body":"{}"}}'
READ = b'{"at_us":1,"data":"x"}'
STEPS_OF_TWICE_AS_MUCH = 2.3
Upload = Callable[[Person], Answer]


@pytest.fixture(autouse=True)
def nothing_read_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "_read_bytes", TokenBuckets(on_demand.BURST_SECONDS))


def post_envelope(person: Person) -> Answer:
    return person.post("/api/v1/captures/", ENVELOPE, exchange_envelope.MEDIA_TYPE)


def post_file(person: Person) -> Answer:
    return person.post("/api/v1/captures/file/", ENVELOPE, "application/octet-stream")


def post_batch(person: Person) -> Answer:
    return person.post("/api/v1/captures/batch/", ENVELOPE + b"\n", "application/x-ndjson")


def post_spans(key: str) -> Answer:
    return ask("POST", "/v1/traces", b'{"resourceSpans":[]}', "application/json", bearer(key))


def endless(*_: object) -> NoReturn:
    while True:
        pass


@pytest.mark.parametrize("upload", [post_envelope, post_file, post_batch])
def test_what_is_taken_apart_counts_as_bytes_of_its_key_alone(
    upload: Upload, owner: Person, stranger: Person, settings: LazySettings
) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    assert upload(owner).status in (200, 202)
    refused = upload(owner)
    assert (refused.status, refused.code) == (429, "too_much_to_read")
    assert int(refused.headers["Retry-After"]) > 1
    assert upload(stranger).status in (200, 202)


def test_spans_count_as_bytes_of_their_key(owner: Person, settings: LazySettings) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    key = create_api_key(owner.team, "an exporter", [TELEMETRY])
    other = create_api_key(owner.team, "another", [TELEMETRY])
    assert post_spans(key).status == 200
    refused = post_spans(key)
    assert (refused.status, refused.json["code"]) == (429, 8)
    assert int(refused.headers["Retry-After"]) > 1
    assert post_spans(other).status == 200


def test_a_batch_goes_on_though_its_key_owes_for_it(owner: Person, settings: LazySettings) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    batch = b"".join(ENVELOPE.replace(b"{}", b"%d" % n) + b"\n" for n in range(5))
    answer = owner.post("/api/v1/captures/batch/", batch, "application/x-ndjson")
    assert [json.loads(line)["status"] for line in answer.body.splitlines()] == [202] * 5


@pytest.mark.parametrize(
    ("upload", "module", "name"),
    [(post_envelope, arrival, "parse_envelope"), (post_file, files, "_few_entries")],
)
def test_what_takes_too_long_to_take_apart_is_refused(
    upload: Upload,
    module: object,
    name: str,
    owner: Person,
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.PARSE_SECONDS = 0
    monkeypatch.setattr(module, name, endless)
    refused = upload(owner)
    assert (refused.status, refused.code) == (413, "too_long_to_parse")
    assert "smaller parts" in refused.json["error"]["message"]
    assert not Capture.objects.exists()


def test_spans_that_take_too_long_are_refused_for_good(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PARSE_SECONDS = 0
    monkeypatch.setattr(traces, "trace_request", endless)
    refused = post_spans(create_api_key(owner.team, "an exporter", [TELEMETRY]))
    assert (refused.status, "Retry-After" in refused.headers) == (413, False)


def test_a_line_that_takes_too_long_is_refused_alone(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PARSE_SECONDS = 0
    monkeypatch.setattr(batch, "submission_of_line", endless)
    answer = post_batch(owner)
    (told,) = [json.loads(line) for line in answer.body.splitlines()]
    assert (told["status"], told["error"]["code"]) == (413, "too_long_to_parse")


def test_a_batch_that_takes_too_long_as_a_whole_is_stored_up_to_there(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(upload_limits, "time", SimpleNamespace(thread_time=lambda: next(clock)))
    settings.PARSE_SECONDS = 2
    lines = b"".join(ENVELOPE.replace(b"{}", b"%d" % n) + b"\n" for n in range(6))
    answer = owner.post("/api/v1/captures/batch/", lines, "application/x-ndjson")
    told = [json.loads(line) for line in answer.body.splitlines()]
    assert [line["status"] for line in told] == [202, 202, 202, 413]
    assert told[3]["error"]["code"] == "too_long_to_parse"
    assert "send this one and those behind it" in told[3]["error"]["message"]
    assert Capture.objects.count() == 3


GROWING: dict[str, Callable[[int], object]] = {
    "lines": lambda number: counted((WHOLE + b"\n") * number, number),
    "items of a list": lambda number: counted(
        b"[" + (WHOLE + b",") * number + WHOLE + b"]", number
    ),
    "entries of a HAR": lambda number: counted(
        b'{"log":{"entries":[' + b"{}," * number + b"{}]}}", number
    ),
    "fields of spans": lambda number: protobuf.parsed_request(b"\x28\x01" * number),
    "spans": lambda number: protobuf.parsed_request(b"\x0a\x00" * number),
    "headers of an envelope": lambda number: arrival.parse_envelope(
        b'{"response":{"body":"","headers":[' + b'["a","b"],' * number + b'["a","b"]]}}'
    ),
    "reads of an envelope": lambda number: arrival.parse_envelope(
        b'{"response":{"reads":[' + READ + (b"," + READ) * number + b"]}}"
    ),
    "metadata of an envelope": lambda number: arrival.parse_envelope(
        b'{"response":{"body":""},"metadata":{"a":[' + b"{}," * number + b"{}]}}"
    ),
}


def counted(body: bytes, number: int) -> None:
    assert file_of(body).holds_more_than(number - 1)


@pytest.mark.parametrize("name", GROWING)
def test_twice_as_much_in_an_upload_takes_at_most_twice_as_many_steps(name: str) -> None:
    upload = GROWING[name]
    upload(2)
    once, twice = steps(lambda: upload(200)), steps(lambda: upload(400))
    assert twice <= once * STEPS_OF_TWICE_AS_MUCH


def test_entries_beyond_the_limit_are_not_even_counted() -> None:
    file = file_of((WHOLE + b"\n") * 50_000)
    assert file.holds_more_than(49_999)
    assert not file.holds_more_than(50_000)
    assert steps(lambda: file.holds_more_than(3)) < 100
