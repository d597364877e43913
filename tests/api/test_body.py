import gzip
import tracemalloc
from io import BytesIO

import pytest
from django.conf import LazySettings
from django.core.handlers.wsgi import WSGIRequest
from django.test import RequestFactory

from api import body
from api.api_error import ApiError
from api.body import read_body
from inspector.archive.models import Capture
from tests.archive.samples import WHOLE
from tests.people import JSON, Person, ask, bearer

CAPTURES = "/api/v1/captures/"


@pytest.fixture(autouse=True)
def small_limit(settings: LazySettings) -> None:
    settings.MAX_BODY_BYTES = 1_000


def test_a_body_of_exactly_the_limit_is_taken(owner: Person) -> None:
    assert owner.post(CAPTURES, b"a" * 1_000).status == 202


@pytest.mark.parametrize(
    ("body", "content_type", "headers", "status", "code"),
    [
        (b"", JSON, {"Content-Length": "0"}, 400, "body_empty"),
        (b"", JSON, {}, 411, "length_required"),
        (b"a" * 1_001, JSON, {}, 413, "body_too_large"),
        (b"a=1", "application/x-www-form-urlencoded", {}, 415, "form_encoded"),
        (b"a=1", "Application/X-WWW-Form-Urlencoded; charset=utf-8", {}, 415, "form_encoded"),
        (b"--b", "multipart/form-data; boundary=b", {}, 415, "form_encoded"),
        (b"x", "multipart/mixed", {}, 415, "form_encoded"),
        (b"{}", JSON, {"Content-Length": ""}, 411, "length_required"),
        (b"{}", JSON, {"Content-Length": "-1"}, 400, "bad_request"),
        (b"{}", JSON, {"Content-Length": "0x2"}, 400, "bad_request"),
        (b"{}", JSON, {"Content-Length": "1" * 40}, 400, "bad_request"),
        (b"{}", JSON, {"Content-Length": "99"}, 400, "body_incomplete"),
        (b"{}", JSON, {"Content-Length": "1001"}, 413, "body_too_large"),
        (b"{}", JSON, {"Content-Encoding": "rot13"}, 415, "unknown_coding"),
        (b"{}", JSON, {"Content-Encoding": "gzip, gzip"}, 415, "unknown_coding"),
        (b"{}", JSON, {"Content-Encoding": "br"}, 415, "unknown_coding"),
        (b"{}", JSON, {"Content-Encoding": "gzip"}, 400, "coding_broken"),
        (gzip.compress(b"", mtime=0), JSON, {"Content-Encoding": "gzip"}, 400, "body_empty"),
        (
            gzip.compress(bytes(100_000), mtime=0),
            JSON,
            {"Content-Encoding": "gzip"},
            413,
            "body_too_large",
        ),
    ],
)
def test_a_wrong_body_is_refused_and_nothing_is_stored(
    owner: Person, body: bytes, content_type: str, headers: dict[str, str], status: int, code: str
) -> None:
    answer = owner.post(CAPTURES, body, content_type, headers)
    assert (answer.status, answer.code) == (status, code)
    assert not Capture.objects.exists()


def test_nobody_waits_for_a_body_that_the_server_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "finishes_within", pytest.fail)
    asked = RequestFactory().post(CAPTURES, WHOLE, JSON)
    given = WSGIRequest({**asked.environ, "wsgi.input": BytesIO(WHOLE)})
    assert read_body(given) == WHOLE


def test_forms_are_told_how_to_send_the_bytes(owner: Person) -> None:
    answer = owner.post(CAPTURES, b"a=1", "application/x-www-form-urlencoded")
    assert "--data-binary" in answer.json["error"]["message"]


def test_a_coding_is_transport_and_the_decoded_bytes_are_the_evidence(owner: Person) -> None:
    for coding in ("gzip", "GZIP", " x-gzip "):
        answer = owner.post(CAPTURES, gzip.compress(WHOLE), JSON, {"Content-Encoding": coding})
        assert owner.get(f"{CAPTURES}{answer.json['id']}/raw/").body == WHOLE


def test_compressed_bytes_that_say_nothing_of_it_are_evidence_as_they_are(owner: Person) -> None:
    body = gzip.compress(WHOLE)
    answer = owner.post(CAPTURES, body)
    assert owner.get(f"{CAPTURES}{answer.json['id']}/raw/").body == body


def test_a_key_is_asked_for_before_the_body_is_looked_at(owner: Person) -> None:
    answer = ask("POST", CAPTURES, b"", "multipart/form-data", bearer("x"))
    assert answer.status == 401


def test_a_bomb_is_refused_before_any_of_it_is_held(settings: LazySettings) -> None:
    settings.MAX_BODY_BYTES = 32 << 20
    bomb = gzip.compress(bytes(64 << 20), 9)
    request = RequestFactory().post(
        CAPTURES, bomb, content_type=JSON, headers={"Content-Encoding": "gzip"}
    )
    tracemalloc.start()
    with pytest.raises(ApiError, match="MAX_BODY_BYTES"):
        read_body(request)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20
