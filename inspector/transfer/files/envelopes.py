"""Exchange envelopes, alone or one in each line, and the lines of an export."""

from inspector.transfer.entries import EntryContent, FoundEnvelope
from inspector.transfer.files.records import RecordLook

BODY_MEMBERS = frozenset(("body", "body_b64", "reads"))


def is_envelopes(look: RecordLook) -> bool:
    response = look.first.get("response")
    return isinstance(response, dict) and not BODY_MEMBERS.isdisjoint(response)


def read_envelope(text: bytes) -> EntryContent:
    return FoundEnvelope(text)
