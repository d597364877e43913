"""Lines that are written down, and above all what is not."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from inspector.archive.inspection import tasks
from inspector.logs.json_log import JsonLogFormatter
from inspector.teams.sign_in_links import create_link
from tests.archive.samples import accept, inspect_all, inspected
from tests.people import Person, ask, bearer

CANARY = "canary-7f3a"


class Written:
    """Everything that was logged, as the programs write it."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == "request"]


@pytest.fixture
def written() -> Iterator[Written]:
    """At the levels of a program, with every logger below the root."""
    found = Written()
    handler = logging.StreamHandler(found.stream)
    handler.setFormatter(JsonLogFormatter("web"))
    root, own = logging.getLogger(), logging.getLogger("inspector")
    before = own.level
    root.addHandler(handler)
    own.setLevel(logging.INFO)
    yield found
    own.setLevel(before)
    root.removeHandler(handler)


def one(written: Written) -> dict[str, Any]:
    (line,) = written.requests
    return line


def test_a_request_is_one_line(owner: Person, written: Written) -> None:
    answer = owner.get("/api/v1/captures/")
    line = one(written)
    assert (line["program"], line["level"]) == ("web", "info")
    assert line["request"] == answer.headers["X-Request-ID"]
    assert (line["method"], line["route"]) == ("GET", "api/v1/captures/")
    assert (line["status"], line["key"]) == (200, owner.service.key_id)
    assert line["ms"] > 0
    assert "user" not in line


def test_a_page_names_its_user(owner: Person, written: Written) -> None:
    capture_id = inspected(owner)
    owner.browser().get(f"/captures/{capture_id}/")
    line = written.requests[-1]
    assert (line["route"], line["user"]) == ("captures/<uuid:capture_id>/", owner.user.pk)
    assert str(capture_id) not in json.dumps(line)


def test_who_signs_in_is_told_from_who_fails_and_no_name_is_written(
    owner: Person, written: Written
) -> None:
    owner.user.set_password("a long way from common")
    owner.user.save()
    browser = Client()
    for password in (CANARY, "a long way from common"):
        browser.post("/sign-in/", {"username": "olga", "password": password})
    browser.post("/sign-out/")
    browser.post(f"/sign-in/{CANARY}/")
    told = [(line.get("user"), line.get("refusal")) for line in written.requests]
    olga = owner.user.pk
    assert told == [(None, "wrong_password"), (olga, None), (olga, None), (None, "spent_link")]
    assert "olga" not in written.text and CANARY not in written.text


def test_a_refusal_is_named_by_its_code(owner: Person, written: Written) -> None:
    owner.post("/api/v1/captures/?x=1", b"{}")
    assert one(written)["refusal"] == "unknown_parameter"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    ["/a%0d%0aINJECTED", "/\x1b[31mred", "/%1b]0;title%07", "/t/%0aINJECTED/captures/",
     "/api/\r\nINJECTED", "/\u2028INJECTED", "/%ff%fe", "/" + "a" * 9_000, "//evil.example/"],
)  # fmt: skip
def test_a_hostile_path_is_one_line_without_it(path: str, written: Written) -> None:
    ask("GET", path)
    assert len(written.text.splitlines()) == 1
    assert written.text.isascii() and written.text.count("\n") == 1
    assert "INJECTED" not in written.text and "\x1b" not in written.text
    assert len(written.text) < 600


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET\r\nINJECTED", "\x1b[2J", "X" * 5_000])
def test_a_hostile_method_is_one_short_line(method: str, written: Written) -> None:
    ask(method, "/livez")
    assert len(written.text.splitlines()) == 1
    assert "\x1b" not in written.text
    assert len(one(written)["method"]) <= 16


@pytest.mark.django_db
def test_a_refused_host_is_one_line(written: Written) -> None:
    Client(raise_request_exception=False).get("/", headers={"Host": f"{CANARY}.example"})
    assert one(written)["status"] == 400
    assert CANARY not in written.text


def test_no_secret_and_no_payload_is_written(owner: Person, written: Written) -> None:
    body = json.dumps({"choices": CANARY, "response": {"body": CANARY, CANARY: 1}}).encode()
    headers = {"Cookie": f"x={CANARY}", "Idempotency-Key": CANARY, "X-Request-ID": f"{CANARY}\n"}
    owner.post(f"/api/v1/captures/?note={CANARY}", body, headers=headers)
    owner.post(f"/api/v1/captures/?{CANARY}=1", body, f"text/{CANARY}")
    owner.post("/api/v1/inspect/", body, "application/vnd.inspector.exchange+json")
    owner.get(f"/api/v1/captures/{CANARY}/")
    ask("GET", "/api/v1/", headers=bearer(CANARY))
    ask("POST", "/api/v1/captures/", body, headers=bearer(CANARY))
    inspect_all()
    browser = owner.browser()
    browser.post("/paste/", {"text": CANARY, "name": CANARY})
    browser.get(f"/t/default/captures/?before={CANARY}&q={CANARY}")
    browser.post("/sign-in/", {"username": CANARY, "password": CANARY})
    assert len(written.requests) == 9
    assert CANARY not in written.text
    assert owner.key not in written.text


def test_a_sign_in_token_is_not_written_however_it_is_used(owner: Person, written: Written) -> None:
    path = create_link(owner.user)
    token = path.split("/")[-2]
    client = Client(enforce_csrf_checks=True)
    client.get(path)
    assert client.post(path).status_code == 403
    Client().post(path)
    Client().post(path)
    assert [line["status"] for line in written.requests] == [200, 403, 302, 410]
    assert any(line["event"] == "Forbidden" for line in written.lines)
    assert token not in written.text


def test_an_error_is_told_by_its_type_and_place_and_not_by_its_message(
    owner: Person, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        try:
            raise KeyError(CANARY)
        except KeyError as error:
            raise ValueError(CANARY) from error

    monkeypatch.setattr("inspector.archive.queries.Captures.page", fails)
    browser = Client(raise_request_exception=False)
    browser.force_login(owner.user)
    browser.get(f"/t/default/captures/?{CANARY}=1")
    owner.get("/api/v1/captures/")
    failures = [line for line in written.lines if "error" in line]
    assert len(failures) == 2
    for failure in failures:
        outer, inner = failure["error"]
        assert (outer["type"], inner["type"]) == ("builtins.ValueError", "builtins.KeyError")
        assert "test_json_log.py" in outer["through"][-1]
        assert failure["request"]
    assert [line["level"] for line in written.requests] == ["error", "error"]
    assert CANARY not in written.text


def test_what_an_error_says_of_the_machine_is_told(written: Written) -> None:
    try:
        raise OperationalError("connection refused")
    except OperationalError:
        logging.getLogger("inspector.x").exception("failed")
    (line,) = written.lines
    assert line["error"][0]["message"] == "connection refused"


def test_an_inspection_is_one_line(owner: Person, written: Written) -> None:
    capture_id = accept(owner)
    inspect_all()
    (line,) = written.lines
    assert (line["event"], line["capture"], line["verdict"]) == (
        "inspected",
        str(capture_id),
        "complete",
    )
    assert (line["team"], line["attempt"]) == (owner.team.pk, 1)


def test_a_failed_attempt_says_why_without_the_payload(
    owner: Person, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ValueError(CANARY)

    capture_id = accept(owner)
    monkeypatch.setattr(tasks, "readout", fails)
    tasks.inspect_due()
    (line,) = written.lines
    assert (line["level"], line["capture"]) == ("error", str(capture_id))
    assert line["error"][0]["type"] == "builtins.ValueError"
    assert CANARY not in written.text


def test_a_logger_that_quotes_values_is_not_quoted(written: Written) -> None:
    logging.getLogger("celery.app.trace").error("Task %s raised: %r", "drain", CANARY)
    (line,) = written.lines
    assert line["event"] == "a task failed"


def test_what_cannot_be_written_as_json_is_named_by_its_type(written: Written) -> None:
    logging.getLogger("inspector.x").warning("odd", extra={"fields": {"value": {1, 2}}})
    assert written.lines[0]["value"] == "set"
