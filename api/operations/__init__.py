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

ENDPOINTS = (
    *service.ENDPOINTS,
    *captures.ENDPOINTS,
    *exports.ENDPOINTS,
    *shares.ENDPOINTS,
    *redaction.ENDPOINTS,
    *retention.ENDPOINTS,
    *receipts.ENDPOINTS,
    *feedback.ENDPOINTS,
    *telemetry.ENDPOINTS,
    *usage.ENDPOINTS,
    *views.ENDPOINTS,
)
