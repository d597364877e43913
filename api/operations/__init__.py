"""All operations of the API, by endpoint. The authorisation table has a row for each."""

from api.operations import captures, feedback, service, usage

ENDPOINTS = (
    *service.ENDPOINTS,
    *captures.ENDPOINTS,
    *feedback.ENDPOINTS,
    *usage.ENDPOINTS,
)
