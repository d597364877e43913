"""The envelope over HTTP: what is wrong with one becomes a refusal."""

from __future__ import annotations

from api.refusal import Refusal
from inspector.archive.intake import Arrival
from inspector.transfer import document, envelope
from inspector.transfer.document import MAX_TOKENS, BadDocument
from inspector.transfer.envelope import MEDIA_TYPE

__all__ = ["MAX_TOKENS", "MEDIA_TYPE", "arrival_of"]

STATUSES = {
    document.INVALID_JSON: 400,
    document.TOO_MANY_VALUES: 413,
    envelope.INVALID: 422,
}


def arrival_of(body: bytes) -> Arrival:
    try:
        return envelope.arrival_of(body)
    except BadDocument as error:
        raise Refusal(STATUSES[error.code], error.code, error.message) from error
