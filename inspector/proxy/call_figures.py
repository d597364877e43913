"""Counters and histograms of what the proxy answers, since its process began."""

from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

# A series more for each, of what nobody draws.
disable_created_metrics()  # type: ignore[no-untyped-call]

PREFIX = "inspector_proxy_"
SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
BYTES = (1e3, 1e4, 1e5, 1e6, 1e7, 1e8)


class ProxyRoute(StrEnum):
    """The kinds of requests that are told apart, and never an address."""

    COMPLETION = "completion"
    OTHER = "other"
    """Forwarded, and no completion."""
    OWN = "own"
    """Answered by the proxy itself, before any upstream was asked."""
    STATUS = "status"
    """Its pages about itself."""


class CallFigures:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            f"{PREFIX}requests",
            "Requests by how they ended, and the status that was sent; 0 where none was.",
            ("route", "outcome", "code"),
            registry=self.registry,
        )
        self._seconds = self._histogram(
            "request_duration_seconds", "Until the last byte was passed on.", SECONDS
        )
        self._first_byte_seconds = self._histogram(
            "first_byte_seconds", "From the end of a request to the head of its answer.", SECONDS
        )
        self._request_bytes = self._histogram(
            "request_size_bytes", "Bodies passed to upstreams.", BYTES
        )
        self._response_bytes = self._histogram(
            "response_size_bytes", "Bodies passed to callers, errors of ours excepted.", BYTES
        )

    def ended(self, route: ProxyRoute, outcome: str, code: int, seconds: float) -> None:
        self._requests.labels(route, outcome, code).inc()
        self._seconds.labels(route).observe(seconds)

    def forwarded(
        self,
        route: ProxyRoute,
        first_byte_seconds: float | None,
        request_bytes: int,
        response_bytes: int,
    ) -> None:
        if first_byte_seconds is not None:
            self._first_byte_seconds.labels(route).observe(first_byte_seconds)
        self._request_bytes.labels(route).observe(request_bytes)
        self._response_bytes.labels(route).observe(response_bytes)

    def _histogram(self, name: str, about: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(PREFIX + name, about, ("route",), buckets=buckets, registry=self.registry)
