"""Captures stored with their credentials lose them, whoever works on them meanwhile."""

import hashlib
import io
import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from inspector.archive import credentials
from inspector.archive.credential_cleanup import CleanupReport, clean_stored
from inspector.archive.inspection import claims, projection_store, tasks
from inspector.archive.inspection.projection import project
from inspector.archive.intake.recording import append, finish
from inspector.archive.intake.retries import request_digest
from inspector.archive.intake.submission import Accepted, Submission
from inspector.archive.models import Capture, Document, Evidence, Inspection, State
from inspector.archive.queries import for_principal
from inspector.archive.readers.extract import extract
from inspector.archive.storage import evidence
from inspector.archive.storage.evidence import Marks
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.wire.exchange import Exchange, Request
from tests.archive.calls import FIRST, begun, call, segment
from tests.archive.samples import accept_arrival, inspect_all
from tests.people import Person
from tests.stored import everything

pytestmark = [pytest.mark.django_db, pytest.mark.both_stacks]

KEY = "tenant-key-0123456789"
BODY = json.dumps({"error": {"message": f"wrong key {KEY}", "type": "auth"}}).encode()
REQUEST = Request(
    method="POST",
    url=f"https://h/v1?key={KEY}",
    headers=(("Authorization", f"Bearer {KEY}"), (":path", f"/v1?key={KEY}")),
    body=b'{"model":"m","api_key":"' + KEY.encode() + b'"}',
)
DIRTY = Submission(
    Exchange(reads=Exchange.of_body(BODY).reads, request=REQUEST, content_type="application/json"),
    metadata={"api_key": KEY},
    posted_sha256="ab" * 32,
    idempotency_key="once",
)


def stored(person: Person, arrival: Submission = DIRTY) -> UUID:
    """As a release without a cleaner left it: told by none that there was one."""
    accepted = accept_arrival(person, Submission(arrival.exchange, removal=NOBODY, **more(arrival)))
    capture = Capture.objects.get(pk=accepted.id)
    nothing = Marks(removal=None, redaction=None, origin=None)
    made = evidence.pack(capture, arrival.exchange, arrival.exchange.body, nothing)
    Evidence.objects.filter(pk=capture.pk).update(surroundings=made.surroundings)
    return accepted.id


def stored_removal(capture_id: UUID) -> Removal | None:
    found = evidence.surroundings_of(Capture.objects.get(pk=capture_id))
    return found.removal if found else None


NOBODY = Removal(version=0)


def more(arrival: Submission) -> dict[str, Any]:
    names = ("metadata", "posted_sha256", "idempotency_key")
    return {name: getattr(arrival, name) for name in names}


def run(*options: str) -> str:
    said = io.StringIO()
    call_command("clean_credentials", *options, stdout=said, stderr=said)
    return said.getvalue()


def test_everything_that_shows_it_is_cleaned_and_read_again(owner: Person) -> None:
    capture_id = stored(owner)
    inspect_all()
    Document.objects.filter(pk=capture_id).update(
        previous=Document.objects.get(pk=capture_id).readout
    )
    assert KEY.encode() in everything()
    said = run()
    assert "1 captures looked at" in said and "1 cleaned, 1 read again" in said
    assert KEY.encode() not in everything()
    page = for_principal(owner.principal).opened(capture_id)
    assert page is not None and page.removal is not None and page.analysis is not None
    was = hashlib.sha256(BODY).hexdigest()
    assert page.removal.response_body_was == credentials.keyed(was)
    assert (page.removal.version, page.removal.response_body) == (VERSION, 1)
    assert page.request is not None and page.request.url == "https://h/v1?key=[removed]"
    assert page.metadata == {"api_key": "[removed]"}
    assert f"wrong key {'*' * len(KEY)}" in str(page.analysis)


def test_a_second_run_changes_nothing(owner: Person) -> None:
    stored(owner)
    inspect_all()
    run()
    before = everything()
    assert "1 of them were clean already; 0 cleaned, 0 read again" in run()
    assert everything() == before


def test_a_dry_run_counts_and_changes_nothing(owner: Person) -> None:
    stored(owner)
    inspect_all()
    before = everything()
    said = run("--dry-run")
    assert "1 would be cleaned" in said and "2  headers of requests" in said
    assert everything() == before


def test_only_the_named_team_is_cleaned(owner: Person, stranger: Person) -> None:
    stored(owner)
    theirs = stored(stranger)
    assert "1 captures looked at" in run("--team", owner.team.slug)
    assert stored_removal(theirs) is None
    with pytest.raises(CommandError, match="there is no team nobody"):
        run("--team", "nobody")


def test_a_resend_of_what_was_cleaned_is_still_the_same(owner: Person) -> None:
    capture_id = stored(owner)
    run()
    again = accept_arrival(owner, DIRTY)
    assert again == Accepted(capture_id, State.RECEIVED, duplicate=True)
    assert Capture.objects.get(pk=capture_id).posted_sha256 != DIRTY.posted_sha256


def test_a_reading_that_was_begun_before_is_refused_and_begun_again(owner: Person) -> None:
    capture_id = stored(owner)
    (claimed,) = claims.claim()
    rows = project(claimed, extract(evidence.unpack(claimed, claimed.evidence)))
    run()
    assert projection_store.store_rows([rows]) == set()
    inspect_all()
    assert Inspection.objects.filter(pk=capture_id).exists()
    assert Capture.objects.get(pk=capture_id).attempt == 1
    assert KEY.encode() not in everything()


def test_what_cannot_be_read_again_is_named(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = stored(owner)
    inspect_all()

    def refuse(_: Exchange) -> None:
        raise ValueError(KEY)

    monkeypatch.setattr("inspector.archive.rewriting.readout", refuse)
    before = everything()
    with pytest.raises(CommandError, match="1 captures are as they were"):
        run()
    assert everything() == before
    monkeypatch.undo()
    run()
    assert KEY.encode() not in everything()
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


def test_after_an_interruption_it_goes_on(owner: Person) -> None:
    for number in range(5):
        stored(owner, Submission(DIRTY.exchange, metadata={"n": number}))
    steps = clean_stored(None, is_dry_run=False, report=CleanupReport())
    next(steps)
    next(steps)
    steps.close()
    assert "5 captures looked at, 2 of them were clean already; 3 cleaned" in run()


def test_of_other_captures_only_the_count_is_added(owner: Person) -> None:
    capture_id = stored(owner, Submission(Exchange.of_body(b'{"fine":1}', "application/json")))
    tasks.inspect_due()
    document = bytes(Document.objects.get(pk=capture_id).readout)
    assert "0 cleaned, 0 read again" in run()
    assert bytes(Document.objects.get(pk=capture_id).readout) == document
    assert stored_removal(capture_id) == Removal(version=VERSION)


def test_what_is_still_recorded_is_left_to_its_recorder(owner: Person) -> None:
    one = replace(call(owner), removal=NOBODY)
    append([segment(begun(one), 0, FIRST)])
    report = CleanupReport()
    assert [*clean_stored(None, is_dry_run=False, report=report)] == []
    assert (report.looked_at, stored_removal(one.id)) == (0, NOBODY)


def test_a_recorded_request_has_the_digest_of_what_is_left_of_it(owner: Person) -> None:
    exchange = Exchange(reads=DIRTY.exchange.reads, request=REQUEST, status_code=401)
    one = replace(call(owner, exchange), removal=NOBODY)
    finish([one])
    before = Capture.objects.get().request_sha256
    run()
    capture = Capture.objects.select_related("evidence").get()
    cleaned = evidence.unpack(capture, capture.evidence)
    assert capture.request_sha256 == request_digest(cleaned.request) != before
    assert KEY.encode() not in everything()
