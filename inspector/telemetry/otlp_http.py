"""One try to send to a collector by OpenTelemetry's exporters, and whether to try again (OTLP,
Failures).

The address is a setting of the installation: nobody who uses it can name another, and no redirect
is followed.
"""

from collections.abc import Sequence
from typing import Any

import requests
from django.conf import settings
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace import ReadableSpan
from urllib3.exceptions import HTTPError

from inspector.telemetry.post_result import PostOutcome, PostResult

PATH = "/v1/traces"

TIMEOUT_SECONDS = 5.0
"""A step of the sweep waits: other work has its turn after it."""
CONTENT_TYPE = "application/x-protobuf"
OF_THE_EXPORTER = frozenset({"content-encoding", "user-agent"})
MAX_ANSWER_BYTES = 65_536
"""An OTLP answer is a count and a sentence."""
REFUSING = frozenset({400, 413, 422})
"""The collector will not take these bytes, however often they come. Others may be mended: a key, an
address, a collector that is starting.
"""


class OneTry(requests.Session):
    """Posts once and keeps what came of it. An exporter that fails would sleep and post again: here
    the outbox does, which other processes see, and which lasts longer than a process.
    """

    result = PostResult(PostOutcome.REFUSED, reason="it cannot be encoded, or is too large")

    def __init__(self) -> None:
        super().__init__()
        # Neither a proxy nor a password of the environment: settings name all.
        self.trust_env = False

    def prepare_request(self, request: requests.Request) -> requests.PreparedRequest:
        """Raise ``_NotTaken`` where a header of the settings cannot be sent."""
        # The exporter adds headers of the environment that no setting names.
        own = {name: request.headers[name] for name in OF_THE_EXPORTER & request.headers.keys()}
        named = {name.lower(): value for name, value in settings.OTLP_HEADERS.items()}
        request.headers = {**own, **named, "content-type": CONTENT_TYPE}
        try:
            return super().prepare_request(request)
        except requests.RequestException:
            # Its text has the header's value, which is a key.
            self.result = PostResult(PostOutcome.LATER, reason="a header cannot be sent")
            raise _NotTaken from None

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Raise ``_NotTaken`` unless the collector says that it has it."""
        try:
            with super().send(request, **{**kwargs, "stream": True}) as response:
                body = response.raw.read(MAX_ANSWER_BYTES, decode_content=True)
        except (OSError, HTTPError) as error:
            self.result = PostResult(PostOutcome.LATER, reason=f"no answer: {error}"[:300])
            raise _NotTaken from error
        self.result = _result(response, body)
        if self.result.outcome is not PostOutcome.TAKEN:
            raise _NotTaken
        return response


class _NotTaken(Exception):
    """Raised to the exporter, which tries again after the errors of ``requests`` alone."""


def post_spans(spans: Sequence[ReadableSpan]) -> PostResult:
    with OneTry() as session:
        exporter = OTLPSpanExporter(
            endpoint=settings.OTLP_ENDPOINT + PATH,
            timeout=TIMEOUT_SECONDS,
            compression=Compression.Gzip,
            session=session,
        )
        exporter.export(spans)
        return session.result


def _result(response: requests.Response, answer: bytes) -> PostResult:
    if 200 <= response.status_code < 300:
        return PostResult(PostOutcome.TAKEN, rejected=_rejected(answer))
    reason = f"HTTP {response.status_code}"
    if response.status_code in REFUSING:
        return PostResult(PostOutcome.REFUSED, reason=reason)
    wait = response.headers.get("Retry-After", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) <= 6 else None
    return PostResult(PostOutcome.LATER, reason=reason, retry_after=seconds)


def _rejected(answer: bytes) -> int:
    """Spans that the collector took note of and did not keep; it is not asked again."""
    try:
        told = ExportTraceServiceResponse.FromString(answer)
    except DecodeError:
        return 0
    return max(int(told.partial_success.rejected_spans), 0)
