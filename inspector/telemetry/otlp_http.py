"""One try to send to a collector by OpenTelemetry's exporters, and whether to try again (OTLP,
Failures).

The address is a setting of the installation: nobody who uses it can name another, and no redirect
is followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import requests
from django.conf import settings
from opentelemetry.exporter.otlp.proto.http import Compression
from urllib3.exceptions import HTTPError

TIMEOUT_SECONDS = 5.0
CONTENT_TYPE = "application/x-protobuf"
OF_THE_EXPORTER = frozenset({"content-encoding", "user-agent"})
MAX_ANSWER_BYTES = 65_536
REFUSING = frozenset({400, 413, 422})
"""The collector will not take these bytes, however often they come. Others may be mended: a key, an
address, a collector that is starting.
"""


class PostOutcome(StrEnum):
    TAKEN = "taken"
    REFUSED = "refused"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class PostResult:
    outcome: PostOutcome
    answer: bytes = b""
    reason: str = ""
    retry_after: int | None = None
    """Seconds that the collector asks to wait."""


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
        """Raises ``_NotTaken`` where a header of the settings cannot be sent."""
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
        """Raises ``_NotTaken`` unless the collector says that it has it."""
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


def exporter_options(path: str, session: OneTry) -> dict[str, Any]:
    return {
        "endpoint": settings.OTLP_ENDPOINT + path,
        "timeout": TIMEOUT_SECONDS,
        "compression": Compression.Gzip,
        "session": session,
    }


def _result(response: requests.Response, answer: bytes) -> PostResult:
    if 200 <= response.status_code < 300:
        return PostResult(PostOutcome.TAKEN, answer)
    reason = f"HTTP {response.status_code}"
    if response.status_code in REFUSING:
        return PostResult(PostOutcome.REFUSED, reason=reason)
    wait = response.headers.get("Retry-After", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) <= 6 else None
    return PostResult(PostOutcome.LATER, reason=reason, retry_after=seconds)
