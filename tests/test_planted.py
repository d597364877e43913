"""Hundreds of credentials in every place where one was ever seen: none is found afterwards."""

import hashlib
import json
import logging
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from inspector.archive.models import Capture
from inspector.core.credentials.spans import MASK
from inspector.logs.json_log import JsonLogFormatter
from tests.archive.samples import inspect_all
from tests.people import Person
from tests.planted import Planted, lines, planted
from tests.stored import everything, found_in

BATCH = "/api/v1/captures/batch/"
NDJSON = "application/x-ndjson"
LEAST = 1_000
LOOKED_AT = 10
"""Captures that are asked for by API and pages, which tell what the tables hold."""


def sent(made: Planted) -> bytes:
    return b"".join(lines(made)) + json.dumps(made.hars).encode()


def test_the_set_is_as_large_as_it_says_and_holds_each_where_it_was_put() -> None:
    made = planted()
    assert len(made.secrets) >= LEAST
    found = found_in(sent(made), made.secrets)
    hidden = {where for secret, where in made.secrets.items() if secret not in found}
    assert hidden == set()


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """Yield the lines that programs would write down."""
    written: list[str] = []
    line = JsonLogFormatter("test")

    class Writer(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(line.format(record))

    writer = Writer(logging.DEBUG)
    logging.getLogger().addHandler(writer)
    yield written
    logging.getLogger().removeHandler(writer)


def test_no_table_page_answer_or_log_line_holds_one(owner: Person, told: list[str]) -> None:
    made = planted()
    results = owner.post(BATCH, b"".join(lines(made)), NDJSON).body.splitlines()
    assert {json.loads(result)["status"] for result in results} == {202}
    browser = owner.browser()
    for har in made.hars:
        paste(browser, owner, json.dumps(har))
    inspect_all()
    ids = list(Capture.objects.order_by("pk").values_list("pk", flat=True))
    assert len(ids) == len(made.envelopes) + len(made.hars)
    some = ids[:: len(ids) // LOOKED_AT]
    answers = [body for capture_id in some for body in asked(owner, capture_id)]
    answers.append(owner.get("/api/v1/captures/?limit=200").body)
    pages = [browser.get(path).content for capture_id in some for path in seen(capture_id)]
    everywhere = everything() + b"".join(answers) + b"".join(pages) + "".join(told).encode()
    assert found_in(everywhere, made.secrets) == {}
    assert b"[removed]" in everywhere and MASK.encode() * 28 in everywhere


def paste(browser: Client, owner: Person, text: str) -> None:
    path = reverse("dashboard:paste-store", args=[owner.team.slug])
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    answer = browser.post(path, {"text": text, "sha256": sha256})
    assert answer.status_code == 302


def asked(owner: Person, capture_id: UUID) -> Iterator[bytes]:
    for part in ("", "raw/", "completion/"):
        yield owner.get(f"/api/v1/captures/{capture_id}/{part}").body


def seen(capture_id: UUID) -> Iterator[str]:
    page = reverse("dashboard:capture", args=[capture_id])
    yield page
    yield f"{page}?raw=request"
    yield reverse("dashboard:request-body", args=[capture_id])
