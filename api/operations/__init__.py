"""All operations of the API, by endpoint. The authorisation table has a row for each."""

from api.operations import (
    captures,
    exports,
    feedback,
    receipts,
    redaction,
    retention,
    service,
    shares,
    telemetry,
    usage,
    views,
)

SUBJECTS = (
    captures,
    exports,
    shares,
    redaction,
    retention,
    receipts,
    feedback,
    views,
    telemetry,
    usage,
    service,
)
ENDPOINTS = tuple(endpoint for subject in SUBJECTS for endpoint in subject.ENDPOINTS)
TAG_TEXTS = {tag: text for subject in SUBJECTS for tag, text in subject.TAG_TEXTS.items()}
"""What the groups of operations are about, by their names."""
