"""Counters and histograms of the programs of a host, in files that they share.

Each process adds to files of its own; the one that is asked adds up those of all. There are none
without a key that opens them.
"""

import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector

from inspector.metrics.process_slot import ProcessSlot
from inspector.metrics.route_class import RouteClass

PROGRAMS = ("web", "worker", "sweep")
PRIVATE_FOLDER = 0o700
LIBRARYS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where the library looks for its files, in the environment."""
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
WAIT_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)
BYTES = (1e3, 1e4, 1e5, 1e6, 1e7, 1e8)

_LOGGER = logging.getLogger(__name__)


class RequestSeries(NamedTuple):
    """To look each of them up takes as long as to count."""

    requests: Counter
    seconds: Histogram
    asked_bytes: Histogram
    sent_bytes: Histogram


class Figures:
    """Figures that one process counts. Nothing fails because it could not be counted."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._series: dict[tuple[RouteClass, int], RequestSeries] = {}
        of_route, of_outcome = ("program", "route"), ("program", "outcome")
        self._requests = Counter(
            "inspector_requests", "Requests answered.", (*of_route, "code"), registry=None
        )
        self._request_seconds = _histogram(
            "request_duration_seconds", "Time until an answer was made.", of_route, SECONDS
        )
        self._request_bytes = _histogram(
            "request_size_bytes", "Bodies of requests, as announced.", of_route, BYTES
        )
        self._response_bytes = _histogram(
            "response_size_bytes", "Bodies of answers of a known length.", of_route, BYTES
        )
        self._inspection_seconds = _histogram(
            "inspection_duration_seconds", "Time of reading a capture.", of_outcome, SECONDS
        )
        self._inspection_bytes = _histogram(
            "inspection_size_bytes", "Bodies that were read.", of_outcome, BYTES
        )
        self._inspection_wait = _histogram(
            "inspection_wait_seconds",
            "From the end of arrival until the inspection was stored.",
            ("program",),
            WAIT_SECONDS,
        )
        self._work_seconds = _histogram(
            "work_turn_duration_seconds",
            "Time of a turn at what is done later.",
            ("program", "kind", "outcome"),
            SECONDS,
        )

    def request(
        self, route: RouteClass, code: int, seconds: float, asked_bytes: int, sent_bytes: int | None
    ) -> None:
        with suppress(Exception):
            series = self._series.get((route, code)) or self._series_of(route, code)
            series.requests.inc()
            series.seconds.observe(seconds)
            if asked_bytes:
                series.asked_bytes.observe(asked_bytes)
            if sent_bytes is not None:
                series.sent_bytes.observe(sent_bytes)

    def _series_of(self, route: RouteClass, code: int) -> RequestSeries:
        of_route = (self._program, route)
        found = self._series[route, code] = RequestSeries(
            self._requests.labels(*of_route, code),
            self._request_seconds.labels(*of_route),
            self._request_bytes.labels(*of_route),
            self._response_bytes.labels(*of_route),
        )
        return found

    def inspection(self, outcome: str, seconds: float, byte_length: int) -> None:
        with suppress(Exception):
            self._inspection_seconds.labels(self._program, outcome).observe(seconds)
            self._inspection_bytes.labels(self._program, outcome).observe(byte_length)

    def inspected_after(self, seconds: float) -> None:
        with suppress(Exception):
            self._inspection_wait.labels(self._program).observe(max(seconds, 0))

    def work_turn(self, kind: str, outcome: str, seconds: float) -> None:
        with suppress(Exception):
            self._work_seconds.labels(self._program, kind, outcome).observe(seconds)


def _histogram(
    name: str, about: str, labels: tuple[str, ...], buckets: tuple[float, ...]
) -> Histogram:
    return Histogram(f"inspector_{name}", about, labels, buckets=buckets, registry=None)


def figures_in(folder: Path, program: str) -> Figures | None:
    """None where the folder takes no files."""
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        slot = ProcessSlot(folder)
    except OSError as error:
        _LOGGER.warning("figures are not counted: %s", error.strerror)
        return None
    os.environ[LIBRARYS_FOLDER] = str(folder)
    values.ValueClass = values.MultiProcessValue(slot)  # type: ignore[no-untyped-call]
    return Figures(program)


def add_figures(registry: CollectorRegistry) -> None:
    """Those of all processes whose files lie beside this one's."""
    if FOLDER.is_dir():
        MultiProcessCollector(registry, str(FOLDER))  # type: ignore[no-untyped-call]


FOLDER = settings.DATA_DIR / "metrics"
_is_counted = settings.METRICS_KEY and settings.ROLE in PROGRAMS
FIGURES = figures_in(FOLDER, settings.ROLE) if _is_counted else None
