"""The state of the proxy and its recorder, as Prometheus reads it."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from inspector.proxy.balance import Balance
from inspector.proxy.call_figures import PREFIX
from inspector.proxy.open_calls import OpenCalls
from inspector.proxy.recorder_link import RecorderLink
from inspector.proxy.tee import Tee


@dataclass(frozen=True, slots=True, eq=False)
class StateMetrics(Collector):
    balance: Balance
    tee: Tee
    calls: OpenCalls
    link: RecorderLink

    def collect(self) -> Iterator[Metric]:
        yield from self._of_calls()
        yield from self._of_recorder()

    def _of_calls(self) -> Iterator[Metric]:
        balance = self.balance
        yield _counter("calls_proxied", "Calls to be recorded.", balance.proxied)
        yield _counter("calls_recorded", "Calls that are stored.", balance.recorded)
        yield _counter("calls_missed", "Calls that could not be kept.", balance.missed)
        yield _counter("calls_omitted", "Calls that the sample left out.", balance.omitted)
        yield _counter("calls_other", "Calls that are no completions.", balance.other)
        yield _counter("calls_paused", "Calls of paused keys.", balance.paused)
        yield _gauge("calls_open", "Not yet whole on the recorder's disk.", len(balance.open))
        yield _gauge("calls_spooled", "On disk, not yet stored.", len(balance.spooled))
        yield _gauge(
            "oldest_spooled_seconds",
            "Since when the first of these is on disk; 0 where none is.",
            balance.oldest_spooled_seconds,
        )
        yield _gauge("streams_open", "Calls that are being forwarded.", len(self.calls))

    def _of_recorder(self) -> Iterator[Metric]:
        link, store = self.link, self.link.store
        yield _gauge("tasks", "Of its event loop.", len(asyncio.all_tasks()))
        yield _gauge("unsent_bytes", "What waits for the recorder.", self.tee.unsent_bytes)
        yield _gauge("recorder_connected", "1 if it is.", int(link.is_ready))
        yield _gauge("recorder_takes_calls", "1 if one that came now was kept.", link.is_recording)
        yield _counter("recorder_starts", "Recorders that were started.", link.starts)
        yield _gauge("spool_bytes", "What calls take of the disk.", store.spool_bytes)
        yield _gauge("spool_limit_bytes", "What they may take.", store.spool_limit_bytes)
        yield _gauge("database_refuses", "1 while calls wait for it.", store.is_refused)


def _counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(PREFIX + name, about, value)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(PREFIX + name, about, value)
