"""Statements of an upload's sender about all of its entries, and an entry as a submission."""

import hashlib
from dataclasses import replace

import msgspec

from inspector.archive.intake import envelope
from inspector.archive.intake.exchange_envelope import IDEMPOTENCY_KEY_CHARACTERS
from inspector.archive.intake.limits import MAX_TAGS, TAG_CHARACTERS
from inspector.archive.intake.submission import Submission
from inspector.core.json.document import INVALID_KEY, INVALID_PARAMETER, BadDocument
from inspector.core.wire.exchange import Exchange


class SentWith(msgspec.Struct, frozen=True):
    """Parameters of the query. ``dialect`` is None where the wire format is to be recognised."""

    tags: tuple[str, ...] = ()
    note: str = ""
    dialect: str | None = None

    def added_to(self, arrival: Submission, posted: bytes) -> Submission:
        """Raise ``BadDocument`` where both together have too many tags."""
        return replace(
            arrival,
            exchange=_read_as(arrival.exchange, self.dialect),
            tags=distinct_tags((*arrival.tags, *self.tags)),
            note=self.note or arrival.note,
            posted_sha256=hashlib.sha256(posted).hexdigest(),
        )


def submission_of_line(line: bytes, sent: SentWith) -> Submission:
    """Parse an envelope. Raises ``BadDocument``."""
    arrival = envelope.parse_envelope(line)
    check_idempotency_key(arrival.idempotency_key)
    return sent.added_to(arrival, line)


def distinct_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Raise ``BadDocument``."""
    if len(tags) > MAX_TAGS:
        raise _bad_tags(f"makes more than {MAX_TAGS} tags")
    if any(not tag.strip() or len(tag) > TAG_CHARACTERS for tag in tags):
        raise _bad_tags(f"is blank or over {TAG_CHARACTERS} characters")
    return tuple(dict.fromkeys(tags))


def check_idempotency_key(key: str | None) -> None:
    """Raise ``BadDocument``."""
    if key is None or (key.isprintable() and 0 < len(key) <= IDEMPOTENCY_KEY_CHARACTERS):
        return
    message = f"an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARACTERS} printable characters"
    raise BadDocument(INVALID_KEY, message)


def _bad_tags(what: str) -> BadDocument:
    return BadDocument(INVALID_PARAMETER, f"query parameter 'tag' {what}")


def _read_as(exchange: Exchange, dialect: str | None) -> Exchange:
    return msgspec.structs.replace(exchange, dialect=dialect) if dialect else exchange
