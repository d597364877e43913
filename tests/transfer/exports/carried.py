"""Captures with everything that an export carries, and exports of them."""

from datetime import UTC, datetime
from io import BytesIO
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.annotation import annotate
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filter_params import parse_filter_params
from inspector.archive.listing.filters import NO_FILTERS
from inspector.archive.models import Capture
from inspector.archive.queries import Captures
from inspector.core.wire.exchange import (
    Exchange,
    MeasuredBy,
    Read,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.teams.access import for_team
from inspector.teams.models import Team
from inspector.transfer.archive_import import ImportedLine, import_lines
from inspector.transfer.exports import exports, steps
from inspector.transfer.exports.exports import ExportStatus
from inspector.transfer.exports.file import write_export
from inspector.transfer.exports.forms import FORMS, ExportSource
from inspector.transfer.exports.pieces import read_pieces
from inspector.usage.rollup.queries import TeamSums
from inspector.work.run import run_one
from tests.archive.samples import JSON, STREAM, WHOLE, accept, accept_arrival
from tests.people import Person

STARTED = datetime(2026, 5, 1, 12, 30, 1, 234567, tzinfo=UTC)
RECORDED = Exchange(
    reads=(Read(1_500, STREAM[:150]), Read(2_500, STREAM[150:151]), Read(2_500, STREAM[151:])),
    content_type="text/event-stream",
    status_code=200,
    headers=(("content-type", "text/event-stream"), ("x-request-id", "req_1"), ("x", "é")),
    outcome=TransportOutcome.RECORDER_STOPPED,
    request=Request(
        method="POST",
        url="https://api.example.com/v1/chat/completions?x=1",
        headers=(("authorization", "Bearer sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"),),
        body=b'{"model":"gpt-4o","messages":[{"role":"user","content":"Hi \xc3\xa9"}]}',
        total_bytes=9_000,
    ),
    measured_by=MeasuredBy.PROXY,
    ended_at_us=9_999,
    dialect="openai-chat",
    fault=TransportFault.BROKEN_RESPONSE,
    total_bytes=5_000,
)
BINARY = Exchange(reads=(Read(None, b"\x00\xff\xfe"), Read(None, b"\x80")))
EMPTY = Exchange(reads=(), request=Request(), headers=())
CONTROLS = Exchange.of_body(b"\x01" * 400, "text/plain")
BEGUN = Exchange.of_body(STREAM[:50])


def everything(person: Person) -> list[UUID]:
    """One capture of each kind."""
    recorded = Submission(
        RECORDED,
        tags=("eval", "été"),
        metadata={"user": "u1", "n": 1.5, "deep": {"list": [None, True]}},
        started_at=STARTED,
        idempotency_key="job-7",
    )
    ids = [
        accept_arrival(person, recorded).id,
        accept(person, WHOLE, JSON),
        *(accept_arrival(person, Submission(each)).id for each in (BINARY, EMPTY, CONTROLS, BEGUN)),
    ]
    source = Capture.objects.get(pk=ids[0])
    annotate(source, None, "a note, with a comma")
    return ids


def source_of(team: Team) -> ExportSource:
    return ExportSource(Captures((team.pk,)), TeamSums((team.pk,)))


def exported(team: Team, form: str = "jsonl") -> bytes:
    file = BytesIO()
    write_export(file, source_of(team), FORMS[form], NO_FILTERS)
    return file.getvalue()


def imported(team: Team, *pieces: bytes) -> list[ImportedLine]:
    principal = for_team(team.slug)
    assert principal is not None
    return list(import_lines(principal, pieces))


def requested(person: Person, form: str = "jsonl", query: str = "") -> ExportStatus:
    conditions = parse_filter_params(dict(QueryDict(query).lists()), timezone.now())
    found = exports.for_principal(person.principal).request(form, conditions)
    assert isinstance(found, ExportStatus)
    return found


def carry_out() -> None:
    while run_one(steps.KIND):
        pass


def file_of(person: Person, number: int) -> bytes:
    file = exports.for_principal(person.principal).file(number)
    assert file is not None
    return b"".join(read_pieces(file.id, file.part_lengths, 0, file.byte_length))


def made(person: Person, form: str = "jsonl", query: str = "") -> tuple[ExportStatus, bytes]:
    """A finished export and its file."""
    number = requested(person, form, query).id
    carry_out()
    found = exports.for_principal(person.principal).one(number)
    assert found is not None
    return found, file_of(person, number)
