"""Rules that a team has switched on are applied before anything is stored."""

import sys
from dataclasses import replace
from types import FrameType
from uuid import UUID

import msgspec
import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inspector.archive import credentials, redaction_rules
from inspector.archive.intake import submission
from inspector.archive.intake.recording import begin, finish
from inspector.archive.intake.submission import Accepted, Submission
from inspector.archive.models import Capture
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.archive.storage import evidence
from inspector.core.redaction_mark import MaskKind, Redaction
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.calls import call
from tests.archive.samples import SSE, accept, accept_arrival, inspected
from tests.people import Person
from tests.stored import everything

SPLIT = (
    b'data: {"choices":[{"index":0,"delta":{"content":"to billing@ex"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"ample.com"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
MASKED = SPLIT.replace(b"billing@ex", b"**********").replace(b"ample.com", b"*********")


def switched_on(person: Person, kind: MaskKind = MaskKind.PRESET, text: str = "email") -> int:
    rule = redaction_rules.add_redaction_rule(person.principal, kind, text)
    assert isinstance(rule, RedactionRuleStatus)
    assert redaction_rules.turn_redaction_rule(person.principal, rule.id, on=True)
    return rule.id


def stored(capture_id: UUID) -> tuple[Capture, bytes, Redaction | None]:
    capture = Capture.objects.select_related("evidence").get(pk=capture_id)
    packed = capture.evidence
    body = evidence.unpack(capture, packed).body
    return capture, body, evidence.marks_in(packed.surroundings).redaction


@pytest.mark.both_stacks
def test_what_a_rule_names_is_never_stored(owner: Person) -> None:
    rule = switched_on(owner)
    capture, body, redaction = stored(inspected(owner, SPLIT, SSE))
    assert body == MASKED
    assert capture.redactions == 1
    assert redaction is not None
    assert [(one.id, one.name, one.places) for one in redaction.rules] == [(rule, "email", 1)]
    assert b"billing@ex" not in everything()


def test_a_rule_that_is_off_or_foreign_changes_nothing(owner: Person, stranger: Person) -> None:
    switched_on(stranger)
    rule = switched_on(owner)
    redaction_rules.turn_redaction_rule(owner.principal, rule, on=False)
    capture, body, redaction = stored(accept(owner, SPLIT, SSE))
    assert (capture.redactions, body, redaction) == (0, SPLIT, None)


def test_request_and_metadata_are_redacted_and_the_posted_hash_is_keyed(owner: Person) -> None:
    switched_on(owner)
    request = Request(
        url="https://host.example/?m=a@example.com", body=b'{"input":"a@example.com"}'
    )
    exchange = msgspec.structs.replace(Exchange.of_body(b"{}"), request=request)
    arrival = Submission(
        exchange, metadata={"who": "a@example.com"}, idempotency_key="once", posted_sha256="5" * 64
    )
    accepted = accept_arrival(owner, arrival)
    capture, _, redaction = stored(accepted.id)
    assert capture.request_url == "https://host.example/?m=*************"
    assert capture.metadata == {"who": "*************"}
    assert capture.posted_sha256 == credentials.keyed("5" * 64)
    assert redaction is not None and redaction.request_body_was is not None
    assert b"a@example" not in everything()
    again = submission.accept(owner.service, arrival)
    assert again == Accepted(accepted.id, "received", duplicate=True)


def test_a_batch_is_redacted_line_by_line(owner: Person) -> None:
    switched_on(owner, MaskKind.WORD, "Nightjar")
    arrivals = [Submission(Exchange.of_body(body)) for body in (b"nightjar", b"nothing")]
    submission.accept_batch(owner.service, arrivals)
    assert {*Capture.objects.values_list("redactions", flat=True)} == {0, 1}
    assert b"nightjar" not in everything()


# -- recordings of the proxy ----------------------------------------------------------------------


@pytest.mark.both_stacks
def test_a_recording_of_a_team_that_redacts_is_stored_at_its_end_alone(owner: Person) -> None:
    one = call(owner)
    reads = (Read(10, SPLIT[:40]), Read(20, SPLIT[40:]))
    one = replace(one, exchange=msgspec.structs.replace(one.exchange, reads=reads))
    switched_on(owner)
    assert begin([one]) == {}
    assert not Capture.objects.exists()
    finish([one])
    capture, body, redaction = stored(one.id)
    assert body == MASKED and capture.redactions == 1
    assert redaction is not None and redaction.response_body == 1
    assert [read.at_us for read in evidence.unpack(capture, capture.evidence).reads] == [10, 20]


def test_a_recording_that_began_before_the_rule_ends_redacted(owner: Person) -> None:
    one = call(owner)
    one = replace(one, exchange=msgspec.structs.replace(one.exchange, reads=(Read(1, SPLIT),)))
    assert {*begin([one])} == {one.id}
    switched_on(owner)
    finish([one])
    _, body, redaction = stored(one.id)
    assert body == MASKED and redaction is not None
    assert b"billing@ex" not in everything()


def test_the_teams_are_told_apart_when_recordings_begin(owner: Person, stranger: Person) -> None:
    switched_on(owner)
    ours, theirs = call(owner), call(stranger)
    assert {*begin([ours, theirs])} == {theirs.id}


def test_a_post_without_rules_visits_no_redaction(owner: Person, stranger: Person) -> None:
    switched_on(stranger)
    # First, because the first request of all loads every page.
    assert "inspector/core/redaction/body_masking.py" in visited_by_post(stranger)
    assert not visited_by_post(owner)


def visited_by_post(person: Person) -> set[str]:
    """Modules of redaction whose functions a POST calls, and tables of its rules."""
    called: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        called.add(frame.f_code.co_filename)

    with CaptureQueriesContext(connection) as sent:
        sys.setprofile(note)
        try:
            assert person.post("/api/v1/captures/", SPLIT, SSE).status == 202
        finally:
            sys.setprofile(None)
    tables = {str(each["sql"]) for each in sent if "redactionrule" in each["sql"]}
    root = f"{settings.BASE_DIR}/"
    return {name.removeprefix(root) for name in called if "/redaction" in name} | tables
