"""The proxy's numbers in the text format of Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from inspector.proxy.balance import Balance
from inspector.proxy.open_calls import OpenCalls
from inspector.proxy.recorder_link import RecorderLink
from inspector.proxy.tee import Tee


def metrics_text(balance: Balance, tee: Tee, calls: OpenCalls, link: RecorderLink) -> str:
    return "".join(_lines(balance, tee, calls, link))


def _lines(balance: Balance, tee: Tee, calls: OpenCalls, link: RecorderLink) -> Iterator[str]:
    yield from _counter("calls_proxied_total", "Calls to be recorded.", balance.proxied)
    yield from _counter("calls_recorded_total", "Calls that are stored.", balance.recorded)
    yield from _counter("calls_missed_total", "Calls that could not be kept.", balance.missed)
    yield from _counter("calls_omitted_total", "Calls that the sample left out.", balance.omitted)
    yield from _counter("calls_other_total", "Calls that are no completions.", balance.other)
    yield from _counter("calls_paused_total", "Calls of paused keys.", balance.paused)
    yield from _gauge("calls_open", "Not yet whole on the recorder's disk.", len(balance.open))
    yield from _gauge("calls_spooled", "On disk, not yet stored.", len(balance.spooled))
    yield from _gauge("streams_open", "Calls that are being forwarded.", len(calls))
    yield from _gauge("tasks", "Of its event loop.", len(asyncio.all_tasks()))
    yield from _gauge("unsent_bytes", "What waits for the recorder.", tee.unsent_bytes)
    yield from _gauge("recorder_connected", "1 if it is.", int(link.is_ready))
    yield from _counter("recorder_starts_total", "Recorders that were started.", link.starts)


def _counter(name: str, about: str, value: int) -> Iterator[str]:
    return _metric(name, about, "counter", value)


def _gauge(name: str, about: str, value: int) -> Iterator[str]:
    return _metric(name, about, "gauge", value)


def _metric(name: str, about: str, kind: str, value: int) -> Iterator[str]:
    full = f"inspector_proxy_{name}"
    yield f"# HELP {full} {about}\n# TYPE {full} {kind}\n{full} {value}\n"
