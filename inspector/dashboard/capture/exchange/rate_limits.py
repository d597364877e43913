"""Rate limits that response headers state, each with what is left and when it is reset.

Sources: OpenAI's and Anthropic's references on rate limits (``x-ratelimit-remaining-requests``,
``anthropic-ratelimit-requests-remaining``) and the IETF draft on RateLimit header fields
(``ratelimit-reset`` counts seconds).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from inspector.core.fields.identity import created_at
from inspector.formatting.humanize import count, moment

MAX_LIMITS = 20
"""Providers state a handful; a server may make up any number."""
_PART = r"limit|remaining|reset"
# As in "x-ratelimit-remaining-requests" and "anthropic-ratelimit-tokens-reset".
_NAME = re.compile(
    rf"(x-|anthropic-)?ratelimit-(?:({_PART})(?:-([a-z-]{{1,40}}))?|([a-z-]{{1,40}})-({_PART}))"
)
# As in "6m0s", "1.5s".
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h|d)){1,6}")
# As in "4999", "0.5".
_NUMBER = re.compile(r"\d{1,16}(?:\.\d{1,9})?")
_EPOCH_SECONDS, _EPOCH_MILLISECONDS = 10**9, 10**12
"""Numbers from here on are moments; shorter ones are a time to wait."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """``subject`` is what is limited, like "requests". Values that no header states are None."""

    subject: str
    limit: str | None = None
    remaining: str | None = None
    reset: str | None = None

    @property
    def left_percent(self) -> float | None:
        """The percentage of the limit that is left; None where one of both is not stated as a whole
        number.
        """
        numbers = [(text or "").replace(",", "") for text in (self.remaining, self.limit)]
        if not all(text.isascii() and text.isdigit() for text in numbers) or int(numbers[1]) == 0:
            return None
        return round(min(int(numbers[0]) / int(numbers[1]), 1) * 100, 1)

    @property
    def sentence(self) -> str:
        left = "" if self.remaining is None else f"{self.remaining} left"
        of_all = f" of {self.limit}" if left and self.limit is not None else ""
        most = f"at most {self.limit}" if not left and self.limit is not None else ""
        reset = "" if self.reset is None else f"reset {self.reset}"
        return ", ".join(filter(None, (f"{left}{of_all}", most, reset)))


def rate_limits_of(headers: Iterable[tuple[str, str]]) -> tuple[RateLimit, ...]:
    found: dict[str, dict[str, str]] = {}
    for name, value in headers:
        named = rate_limit_name(name)
        if named is None or not value.strip():
            continue
        subject, part = named
        if subject in found or len(found) < MAX_LIMITS:
            words = reset_words(name, value.strip()) if part == "reset" else number(value.strip())
            found.setdefault(subject, {}).setdefault(part, words)
    return tuple(RateLimit(subject, **parts) for subject, parts in found.items())


def rate_limit_name(name: str) -> tuple[str, str] | None:
    """Subject and part (limit, remaining or reset) of a header's name; None for any other."""
    match = _NAME.fullmatch(name.lower())
    if match is None:
        return None
    subject = match[3] or match[4] or "calls"
    return subject.replace("-", " "), match[2] or match[5]


def number(text: str) -> str:
    # A count; what is longer is shown as it was sent, cut.
    return count(int(text)) if text.isascii() and text.isdigit() and len(text) < 16 else text[:60]


def reset_words(name: str, value: str) -> str:
    """When the limit is reset, as far as the value's form says so; else the value as sent."""
    if _DURATION.fullmatch(value):
        return f"in {value}"
    if _NUMBER.fullmatch(value):
        return reset_of_number(name, value)
    at = date_time(value)
    return f"at {moment(at)}" if at else f"as sent: {value[:60]}"


def reset_of_number(name: str, value: str) -> str:
    amount = float(value)
    if amount >= _EPOCH_SECONDS:
        at = created_at(amount / 1000 if amount >= _EPOCH_MILLISECONDS else amount)
        return f"at {moment(at)}" if at else f"as sent: {value}"
    is_draft = name.lower().startswith("ratelimit-")
    return f"in {value} s" if is_draft else f"{value}, unit not stated"


def date_time(text: str) -> datetime | None:
    """Parse RFC 3339 with a zone; None for anything else."""
    try:
        found = msgspec.convert(text, datetime)
        return found.astimezone(UTC) if found.tzinfo else None
    except (msgspec.ValidationError, OverflowError):
        return None
