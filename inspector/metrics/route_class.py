"""The kinds of requests that are told apart in figures: few, and never an address."""

from enum import StrEnum

from django.conf import settings
from django.http import HttpRequest

READS = ("GET", "HEAD")


class RouteClass(StrEnum):
    INTAKE = "intake"
    """Captures and traces that come in."""
    API_READ = "api_read"
    API_WRITE = "api_write"
    VOTE = "vote"
    """By token, from pages of others."""
    PAGE = "page"
    PARTIAL = "partial"
    """A part of a page, asked for by its script."""
    FORM = "form"
    STATIC = "static"
    HEALTH = "health"
    ADMISSION = "admission"
    """Requests of the server in front before it takes a body."""
    METRICS = "metrics"
    NONE = "none"
    """No such address."""


OF_NAMES = {
    "api:admission": RouteClass.ADMISSION,
    "api:livez": RouteClass.HEALTH,
    "api:metrics": RouteClass.METRICS,
    "api:nothing-here": RouteClass.NONE,
    "api:readyz": RouteClass.HEALTH,
    "api:vote": RouteClass.VOTE,
    "api:vote-of-team": RouteClass.VOTE,
}
TAKES_IN = {
    "api:batch", "api:captures", "api:file", "api:otlp-logs", "api:otlp-metrics", "api:traces",
}  # fmt: skip
"""When it is posted to."""


def route_class(request: HttpRequest) -> RouteClass:
    match = request.resolver_match
    if match is None:
        is_static = request.path.startswith(settings.STATIC_URL)
        return RouteClass.STATIC if is_static else RouteClass.NONE
    return OF_NAMES.get(match.view_name) or _by_method(request, match.view_name)


def _by_method(request: HttpRequest, name: str) -> RouteClass:
    is_read = request.method in READS
    if name.startswith("api:"):
        if request.method == "POST" and name in TAKES_IN:
            return RouteClass.INTAKE
        return RouteClass.API_READ if is_read else RouteClass.API_WRITE
    if "HTTP_HX_REQUEST" in request.META:
        return RouteClass.PARTIAL
    return RouteClass.PAGE if is_read else RouteClass.FORM
