"""Posts to a collector by OTLP over HTTP, and says whether to try again (OTLP, Failures).

The address is a setting of the installation: nobody who uses it can name another, and no redirect
is followed.
"""

from __future__ import annotations

import gzip
import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

PROTOBUF = "application/x-protobuf"
TIMEOUT_SECONDS = 5.0
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


def post(url: str, headers: Mapping[str, str], body: bytes) -> PostResult:
    parts = urlsplit(url)
    connection = _connection(parts.scheme, parts.hostname or "", parts.port)
    sent = {**headers, "Content-Type": PROTOBUF, "Content-Encoding": "gzip"}
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", target, gzip.compress(body), sent)
        response = connection.getresponse()
        return _result(response, response.read(MAX_ANSWER_BYTES))
    except (OSError, http.client.HTTPException) as error:
        return PostResult(PostOutcome.LATER, reason=f"no answer: {error}"[:300])
    finally:
        connection.close()


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT_SECONDS, context=context)
    return http.client.HTTPConnection(host, port, timeout=TIMEOUT_SECONDS)


def _result(response: http.client.HTTPResponse, answer: bytes) -> PostResult:
    if 200 <= response.status < 300:
        return PostResult(PostOutcome.TAKEN, answer)
    reason = f"HTTP {response.status}"
    if response.status in REFUSING:
        return PostResult(PostOutcome.REFUSED, reason=reason)
    wait = response.getheader("Retry-After", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) <= 6 else None
    return PostResult(PostOutcome.LATER, reason=reason, retry_after=seconds)
