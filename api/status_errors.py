"""Words on a status of HTTP where nothing more is to be explained."""

from django.http import HttpRequest, HttpResponse

from api.responses import error_response

_STATUS_MESSAGES = {
    400: ("bad_request", "the request is malformed"),
    401: ("unauthorized", "send an API key that is in use: Authorization: Bearer <key>"),
    403: ("forbidden", "this is not allowed"),
    404: ("not_found", "there is no such thing here"),
    405: ("method_not_allowed", "this address does not take this method"),
    412: ("changed_meanwhile", "this is not what the If-Match speaks of"),
    416: ("range_not_satisfiable", "the file has no byte of the range"),
    500: ("internal_error", "this is a fault of the server; nothing was stored"),
    503: ("unavailable", "the database cannot take this now; send it again"),
}


def status_error(request: HttpRequest, status: int) -> HttpResponse:
    """Return the error response for a status that needs no further explanation."""
    return error_response(request, status, *status_message(status))


def status_message(status: int) -> tuple[str, str]:
    return _STATUS_MESSAGES.get(
        status, ("refused" if status < 500 else "internal_error", "refused")
    )
