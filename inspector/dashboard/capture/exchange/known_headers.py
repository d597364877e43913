"""Meanings of known response headers, in the words of RFC 9110 and of the providers' references.

Rate limits are told together, see ``rate_limits``.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from inspector.formatting.humanize import moment, seconds

REQUEST_ID = "the provider's id of this request, which its support asks for"
MEANINGS: Mapping[str, str] = {
    "apim-request-id": REQUEST_ID,
    "request-id": REQUEST_ID,
    "x-amzn-requestid": REQUEST_ID,
    "x-correlation-id": REQUEST_ID,
    "x-ms-request-id": REQUEST_ID,
    "x-request-id": REQUEST_ID,
    "x-generation-id": "OpenRouter's id of the generation",
    "content-type": "media type of the body",
    "content-encoding": "compression of the body",
    "content-length": "bytes of the body, as announced",
    "transfer-encoding": "the body came in pieces of a length not announced",
    "cache-control": "who may keep the response, and how long",
    "server": "software that answered",
    "via": "proxies on the way",
    "openai-organization": "organisation that is billed",
    "openai-project": "project that is billed",
    "openai-version": "version of the API",
    "anthropic-organization-id": "organisation that is billed",
    "x-amz-cf-pop": "data centre of CloudFront",
    "x-ms-region": "region that answered",
    "x-groq-region": "region that answered",
    "fly-region": "region that answered",
    "x-inference-provider": "provider that answered behind the router",
    "x-litellm-response-cost": "LiteLLM's own estimate of the cost in USD",
    "server-timing": "the server's own times, in ms",
    "set-cookie": "cookie, not kept",
}
MILLISECONDS: Mapping[str, str] = {
    "openai-processing-ms": "processing",
    "x-envoy-upstream-service-time": "upstream of the proxy",
    "x-litellm-overhead-duration-ms": "added by LiteLLM",
    "x-litellm-response-duration-ms": "whole call, measured by LiteLLM",
    "x-metrics-e2e-ms": "whole request, measured by the server",
    "x-queue-time": "queue",
    "x-inference-time": "inference",
    "x-total-time": "whole request, measured by the server",
}
"""Times in milliseconds by the provider's clock."""
# As in "0.25".
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,12})?")
# As in "8f2a1b3c4d5e6f70-FRA" of Cloudflare.
_DATA_CENTRE = re.compile(r"[0-9a-f]{1,32}-([A-Z]{3})")


def header_meaning(name: str, value: str) -> str:
    """Meaning of a response header with this value; "" if the header is not known."""
    low, sent = name.strip().lower(), value.strip()
    if low in MILLISECONDS:
        return stated_time(MILLISECONDS[low], sent)
    if low in ("retry-after", "retry-after-ms"):
        return retry_words(low, sent)
    if low == "date":
        return "clock of the server" if http_date(sent) else "clock of the server, no date"
    if low == "cf-ray":
        return ray_words(sent)
    return MEANINGS.get(low, "")


def stated_time(what: str, value: str) -> str:
    if not _NUMBER.fullmatch(value):
        return f"time stated by the server: {what}"
    return f"{seconds(round(float(value) * 1000))} stated by the server: {what}"


def retry_words(name: str, value: str) -> str:
    """RFC 9110, 10.2.3: seconds or a date; OpenAI's ``retry-after-ms`` counts milliseconds."""
    if _NUMBER.fullmatch(value):
        is_ms = name.endswith("-ms")
        return f"try again after {seconds(round(float(value) * 1000)) if is_ms else f'{value} s'}"
    at = http_date(value)
    return f"try again after {moment(at)}" if at else "when to try again"


def ray_words(value: str) -> str:
    found = _DATA_CENTRE.fullmatch(value)
    place = f", data centre {found[1]}" if found else ""
    return f"Cloudflare's id of this request{place}"


def http_date(value: str) -> datetime | None:
    """Parse an HTTP date (RFC 9110, 5.6.7); None for anything else."""
    try:
        return parsedate_to_datetime(value[:40]).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
