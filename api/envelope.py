"""Parses envelopes sent over HTTP; errors in one become API errors."""

from __future__ import annotations

from api.api_error import ApiError
from inspector.archive.intake.submission import Submission
from inspector.transfer import envelope, json_document
from inspector.transfer.envelope import MEDIA_TYPE
from inspector.transfer.json_document import MAX_TOKENS, BadDocument

__all__ = ["MAX_TOKENS", "MEDIA_TYPE", "arrival_of"]

STATUSES = {
    json_document.INVALID_JSON: 400,
    json_document.TOO_MANY_VALUES: 413,
    envelope.INVALID: 422,
}


def arrival_of(body: bytes) -> Submission:
    try:
        return envelope.parse_envelope(body)
    except BadDocument as error:
        raise ApiError(STATUSES[error.code], error.code, error.message) from error
