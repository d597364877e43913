"""A HAR 1.2 file with an entry for each capture, as ``fixtures.har_file`` writes one."""

import msgspec

from inspector.archive.listing.stored_captures import StoredCapture
from inspector.transfer.exports.written import Pieces, Written
from inspector.transfer.fixtures.har_file import CREATOR, har_entry
from inspector.transfer.fixtures.source import FixtureSource


def begin() -> Pieces:
    creator = msgspec.json.encode(CREATOR)
    return (b'{"log":{"version":"1.2","creator":' + creator + b',"entries":[',)


def add(capture: StoredCapture, written: Written) -> Pieces:
    origin = capture.origin
    source = FixtureSource(
        name=str(origin.id),
        exchange=capture.exchange,
        removal=origin.removal,
        redaction=origin.redaction,
        started_at=capture.started_at,
    )
    separator = b",\n" if written.captures else b"\n"
    return (separator + msgspec.json.encode(har_entry(source)),)


def end(written: Written) -> Pieces:
    return (b"\n]}}\n",)
