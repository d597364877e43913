"""An upload that waits to be cut into captures."""

from __future__ import annotations

from inspector.teams.access import TELEMETRY, for_key
from inspector.teams.keys import create_api_key
from inspector.transfer.telemetry.trace_requests import TraceEncoding
from inspector.transfer.uploads import parked
from inspector.transfer.uploads.parked import UploadStatus
from tests.people import Person


def upload_of(person: Person) -> int:
    exporter = for_key(create_api_key(person.team, "an exporter", [TELEMETRY]))
    assert exporter is not None
    found = parked.for_principal(exporter, TELEMETRY).park(TraceEncoding.JSON, b"{}")
    assert isinstance(found, UploadStatus)
    return found.id
