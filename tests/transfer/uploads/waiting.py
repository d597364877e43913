"""An upload that waits to be cut into captures."""

from inspector.teams.access import INGEST
from inspector.transfer.uploads import parked
from inspector.transfer.uploads.files import FILE
from inspector.transfer.uploads.parked import UploadStatus
from tests.people import Person


def upload_of(person: Person) -> int:
    found = parked.for_principal(person.principal, INGEST).park(FILE, b"{}")
    assert isinstance(found, UploadStatus)
    return found.id
