"""Counts of the proxy on each request: by class and outcome, never by address."""

from inspector.proxy.call_figures import ProxyRoute
from inspector.proxy.messages import StoreState
from tests.proxy.conftest import KEY, OK, open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import ScriptedUpstream
from tests.proxy.started_proxy import StartedProxy

LABELS = ("route", "outcome", "code")


def samples(proxy: StartedProxy) -> dict[tuple[str, ...], float]:
    """``("requests_total", "completion", "ended", "200"): 1.0``."""
    return {
        (
            each.name.removeprefix("inspector_proxy_"),
            *(each.labels[name] for name in LABELS if name in each.labels),
        ): each.value
        for family in proxy.families("k")
        for each in family.samples
    }


def test_calls_are_counted_by_class_outcome_and_status(upstream: ScriptedUpstream) -> None:
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        way = open_way(recorder, upstream.url)
        proxy.ask("POST", way.chat, b'{"model":"canary"}')
        proxy.ask("GET", way.to("/models"))
        proxy.ask("GET", "/proxy/nothing")
        proxy.ask("GET", "/livez")
        found = samples(proxy)

    assert found["requests_total", "completion", "ended", "200"] == 1
    assert found["requests_total", "other", "ended", "200"] == 1
    assert found["requests_total", "own", "unknown_key", "401"] == 1
    assert found["requests_total", "status", "page", "200"] == 1
    assert found["request_duration_seconds_count", "completion"] == 1
    assert found["first_byte_seconds_count", "completion"] == 1
    assert found["request_size_bytes_sum", "completion"] == len(b'{"model":"canary"}')
    assert found["response_size_bytes_sum", "completion"] == len(OK.partition(b"\r\n\r\n")[2])


def test_an_upstream_that_is_not_there_is_told_with_the_status_that_was_sent() -> None:
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        way = open_way(recorder, "http://127.0.0.1:1")
        assert proxy.ask("POST", way.chat, b"{}").status == 502
        found = samples(proxy)

    assert found["requests_total", "completion", "upstream-error", "502"] == 1
    assert ("first_byte_seconds_count", "completion") not in found


def test_no_address_key_or_model_is_in_any_label(upstream: ScriptedUpstream) -> None:
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        way = open_way(recorder, upstream.url)
        proxy.ask("POST", f"{way.chat}?secret=canary", b'{"model":"canary"}')
        text = proxy.ask("GET", "/metrics", headers={"Authorization": "Bearer k"}).body.decode()
        routes = {
            sample.labels["route"]
            for family in proxy.families("k")
            for sample in family.samples
            if "route" in sample.labels
        }

    assert routes <= {*map(str, ProxyRoute)}
    for told in (KEY, "canary", way.name, "chat"):
        assert told not in text


def test_what_the_recorder_says_of_its_spool_and_database_is_told() -> None:
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        recorder.wait(lambda: recorder.lives)
        recorder.say(StoreState(spool_bytes=8192, spool_limit_bytes=1 << 20, is_refused=True))
        recorder.until_heard(proxy)
        found = proxy.metrics("k")

    assert (found["spool_bytes"], found["spool_limit_bytes"]) == (8192, 1 << 20)
    assert found["database_refuses"] == found["recorder_takes_calls"] == 1
    assert found["oldest_spooled_seconds"] == 0
