"""The figures that monitoring gets: one list, for Prometheus and for OpenTelemetry.

Gauges, not counters: deleting, retrying and inspecting again may lower every one of them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.archive.status.installation import InstallationTotals
from inspector.core.analysis import ANALYSIS_VERSION


@dataclass(frozen=True, slots=True)
class StatusGauge:
    """``values`` by the value of the label; by "" where there is no label."""

    name: str
    help_text: str
    values: Mapping[str, float]
    label: str = ""


def status_gauges(found: InstallationTotals) -> Iterator[StatusGauge]:
    yield _labelled("captures", "Captures by state.", "state", found.by_state)
    yield _labelled("captures_by_attempts", "By attempts so far.", "attempts", found.by_attempts)
    yield _labelled("inspections", "Inspections by verdict.", "verdict", found.by_verdict)
    yield _labelled("findings", "Findings by severity.", "severity", found.findings)
    yield _single("body_bytes", "Bytes of all bodies, as they came.", found.body_bytes)
    yield _single("overdue_captures", "Due for long, and taken by nobody.", found.overdue)
    yield _single(
        "oldest_pending_seconds",
        "Age of the oldest capture that waits for its inspection; 0 where none does.",
        found.oldest_pending_seconds,
    )
    yield _labelled(
        "oldest_due_work_seconds",
        "How long what is due of a kind of work has been so, while any is.",
        "kind",
        found.oldest_due_work_seconds,
    )
    yield _labelled(
        "reinspection_captures",
        "Of the reinspections under way: total, done, and of these changed or failed.",
        "count",
        found.reinspection,
    )
    yield _single("analysis_version", "Of the rules that this process reads by.", ANALYSIS_VERSION)


def _single(name: str, help_text: str, value: float) -> StatusGauge:
    return StatusGauge(name, help_text, {"": value})


def _labelled(name: str, help_text: str, label: str, values: Mapping[Any, float]) -> StatusGauge:
    named = {str(key): float(value) for key, value in sorted(values.items())}
    return StatusGauge(name, help_text, named, label)
