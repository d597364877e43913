"""Captures as spans to a collector: in order, at least once, with waits, and without texts."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
import pytest
from django.conf import LazySettings
from django.utils import timezone
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.archive.deletion import delete
from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.telemetry import capture_span, span_export
from inspector.telemetry.models import OutboxSpan
from inspector.telemetry.span_export import SpansResult, wait_seconds
from inspector.work import leases, run
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.samples import WHOLE, accept, accept_arrival, inspect_all
from tests.core.telemetry_records import CHAT, HELLO, SPAN, TRACE, WHO, record
from tests.people import Person
from tests.telemetry.collector import Collector, listening, values_of

pytestmark = pytest.mark.both_stacks

BEGUN = datetime(2026, 11, 26, 9, 30, tzinfo=UTC)


@pytest.fixture
def collector(settings: LazySettings) -> Iterator[Collector]:
    with listening() as found:
        settings.OTLP_ENDPOINT = found.url
        settings.OTLP_HEADERS = {"Authorization": "Bearer abc"}
        yield found


def step() -> bool:
    return run_one(span_export.KIND)


def come_due() -> None:
    Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def told() -> SpansResult:
    return msgspec.convert(Work.objects.get(kind="spans").result, SpansResult)


def failure() -> str | None:
    return Work.objects.get(kind="spans").error


def recorded(person: Person) -> UUID:
    exchange = Exchange(
        reads=(Read(250_000, WHOLE[:100]), Read(1_250_000, WHOLE[100:])),
        status_code=200,
        request=Request(
            headers=(("traceparent", f"00-{TRACE}-{SPAN}-01"),), body=b'{"model":"asked"}'
        ),
    )
    found = accept_arrival(person, Submission(exchange, started_at=BEGUN)).id
    inspect_all()
    return found


def only_span(collector: Collector) -> Span:
    (span,) = collector.spans()
    return span


def test_an_inspected_capture_is_a_conventional_span(owner: Person, collector: Collector) -> None:
    capture_id = recorded(owner)
    assert step() is True
    span = only_span(collector)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, SPAN)
    assert span.end_time_unix_nano - span.start_time_unix_nano == 1_250_000_000
    assert span.start_time_unix_nano == int(BEGUN.timestamp()) * 1_000_000_000
    sent = values_of(span.attributes)
    assert sent["gen_ai.request.model"] == "asked"
    assert sent["gen_ai.response.time_to_first_chunk"] == 0.25
    assert sent["inspector.capture.id"] == str(capture_id)
    assert sent["inspector.verdict"] == "complete"
    assert "gen_ai.output.messages" not in sent
    posted = collector.posted[0]
    assert (posted.path, posted.headers["authorization"]) == ("/v1/traces", "Bearer abc")
    assert not OutboxSpan.objects.exists()


def test_texts_leave_only_where_the_installation_wants_it(
    owner: Person, collector: Collector, settings: LazySettings
) -> None:
    settings.OTLP_WITH_TEXTS = True
    recorded(owner)
    step()
    text = str(values_of(only_span(collector).attributes)["gen_ai.output.messages"])
    assert text.startswith('[{"role": "assistant", "parts": [{"type": "text", "content":')


def test_without_a_time_a_span_is_a_moment(owner: Person, collector: Collector) -> None:
    capture_id = accept(owner, WHOLE)
    inspect_all()
    step()
    span = only_span(collector)
    assert span.start_time_unix_nano == span.end_time_unix_nano
    assert (span.trace_id, span.parent_span_id) == (capture_id.bytes, b"")
    assert "gen_ai.response.time_to_first_chunk" not in values_of(span.attributes)


def test_spans_go_in_order_and_keep_their_ids(owner: Person, collector: Collector) -> None:
    first, second = recorded(owner), recorded(owner)
    collector.statuses = [503]
    assert step() is True and step() is False
    come_due()
    assert step() is True
    assert collector.spans(0) == collector.spans(1)
    sent = [values_of(span.attributes)["inspector.capture.id"] for span in collector.spans()]
    assert sent == [str(first), str(second)]


def test_a_silent_collector_is_asked_later(owner: Person, collector: Collector) -> None:
    recorded(owner)
    collector.statuses = [429]
    collector.more_headers = {"Retry-After": "900"}
    step()
    assert (told().failures, failure()) == (1, "HTTP 429")
    assert Work.objects.get().due_at > timezone.now() + timedelta(seconds=600)
    assert step() is False
    assert (len(collector.posted), OutboxSpan.objects.count()) == (1, 1)


def test_a_redirect_is_not_followed_and_the_spans_wait(owner: Person, collector: Collector) -> None:
    recorded(owner)
    collector.statuses = [307]
    collector.more_headers = {"Location": f"{collector.url}/elsewhere"}
    step()
    assert [posted.path for posted in collector.posted] == ["/v1/traces"]
    assert failure() == "HTTP 307"
    assert OutboxSpan.objects.count() == 1


def test_a_proxy_of_the_environment_gets_no_span(
    owner: Person, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    recorded(owner)
    assert step() is True
    assert len(collector.posted) == 1


def test_headers_of_the_environment_that_no_setting_names_are_not_sent(
    owner: Person, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"):
        monkeypatch.setenv(name, "x-of-another=1,content-type=text/plain,authorization=Bearer x")
    recorded(owner)
    assert step() is True
    sent = {name.lower(): value for name, value in collector.posted[0].headers.items()}
    assert "x-of-another" not in sent
    assert sent["authorization"] == "Bearer abc"
    assert sent["content-type"] == "application/x-protobuf"


def test_a_header_that_cannot_be_sent_costs_a_wait_and_no_span(
    owner: Person, collector: Collector, settings: LazySettings
) -> None:
    settings.OTLP_HEADERS = {"authorization": " Bearer abc"}
    recorded(owner)
    step()
    assert (told().refused, OutboxSpan.objects.count()) == (0, 1)
    assert "authorization" not in (failure() or "")
    settings.OTLP_HEADERS = {"authorization": "Bearer abc"}
    come_due()
    assert step() is True
    assert (len(collector.posted), OutboxSpan.objects.count()) == (1, 0)


def test_spans_that_cannot_be_encoded_are_refused_and_hold_up_no_other(
    owner: Person, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_span, "capture_span", lambda _: "no span")
    recorded(owner)
    recorded(owner)
    while step():
        pass
    assert collector.posted == []
    assert (told().refused, OutboxSpan.objects.count()) == (2, 0)


def test_waits_double_up_to_five_minutes() -> None:
    assert [wait_seconds(n) for n in (0, 1, 2, 6, 7, 10**9)] == [5, 10, 20, 300, 300, 300]


def test_a_span_that_is_refused_costs_no_other(owner: Person, collector: Collector) -> None:
    for _ in range(3):
        recorded(owner)
    collector.statuses = [400, 200, 400, 200]
    while step():
        pass
    assert [len(collector.spans(at)) for at in range(4)] == [3, 1, 1, 1]
    assert (told().sent, told().refused, told().alone) == (2, 1, 0)


def test_what_the_collector_rejected_is_counted(owner: Person, collector: Collector) -> None:
    recorded(owner)
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = 1
    collector.answer = answer.SerializeToString()
    step()
    assert (told().sent, told().refused) == (0, 1)


def test_another_process_is_sending_them(owner: Person, collector: Collector) -> None:
    recorded(owner)
    span_export.open_due()
    assert leases.claim(run.which(span_export.KIND))
    assert step() is False
    assert collector.posted == []


def test_what_telemetry_told_is_not_told_again(owner: Person, collector: Collector) -> None:
    body = record({**CHAT, **WHO, "gen_ai.output.messages": HELLO})
    accept_arrival(owner, Submission(Exchange.of_body(body)))
    inspect_all()
    assert not OutboxSpan.objects.exists()


def test_without_a_collector_nothing_waits(owner: Person, settings: LazySettings) -> None:
    settings.OTLP_ENDPOINT = ""
    recorded(owner)
    assert not OutboxSpan.objects.exists()
    assert step() is False


def test_a_capture_deleted_first_does_not_go_out(owner: Person, collector: Collector) -> None:
    capture_id = recorded(owner)
    delete(owner.principal, capture_id)
    assert not OutboxSpan.objects.exists()
    assert step() is False
    assert collector.posted == []
