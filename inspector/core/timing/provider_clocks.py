"""Times and speeds that the provider states itself, as they were sent.

They are measured by another clock and from another moment than recorded times, so the two are shown
side by side and never combined.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from inspector.core.analysis import ProviderClock
from inspector.core.completion import Choice
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValue, RawValues

SPEED = "tokens/s"
POWERS = {"s": 0, "ms": -3, "ns": -9}
LONGEST_SECONDS = 86_400
"""A day; more is a moment, or another unit than the name says."""
SMALLEST, LARGEST = -15, 12
"""Powers of ten: nobody measures less than a femtosecond, or makes so many tokens per second."""
MAX_CHARACTERS = 60
"""More than any clock's digits: a sender's number of a million is not computed with."""
# As in "0.25", "1e-3".
_IS_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?").fullmatch

GROQ = dict.fromkeys(("queue_time", "prompt_time", "completion_time", "total_time"), "s")
LLAMA_CPP = {
    "prompt_ms": "ms",
    "prompt_per_token_ms": "ms",
    "prompt_per_second": SPEED,
    "predicted_ms": "ms",
    "predicted_per_token_ms": "ms",
    "predicted_per_second": SPEED,
}
OLLAMA = dict.fromkeys(
    ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration"), "ns"
)
OPENAI = dict.fromkeys(
    (
        "pre_inference_ms",
        "engine_ttft_ms",
        "engine_tbt_ms",
        "engine_ttlt_ms",
        "service_ttft_ms",
        "service_tbt_ms",
        "service_ttlt_ms",
        "user_visible_ttft_ms",
        "total_duration_ms",
    ),
    "ms",
)
BEDROCK = {"latencyMs": "ms"}
IN_USAGE = GROQ | {
    "time_to_first_token_ms": "ms",
    "time_per_output_token_ms": "ms",
    "tokens_per_second": SPEED,
    "time_to_first_token": "s",
    "total_latency": "s",
    "completion_tokens_per_sec": SPEED,
    "completion_tokens_after_first_per_sec": SPEED,
    "total_tokens_per_sec": SPEED,
}
BESIDE_CHOICES: Mapping[str, Mapping[str, str]] = {
    "timings": LLAMA_CPP,
    "time_info": GROQ,
    "latency_checkpoint": OPENAI,
    "metrics": BEDROCK,
}
TOTALS = frozenset(
    {
        "total_time",
        "total_latency",
        "total_duration",
        "total_duration_ms",
        "duration_seconds",
        "latencyMs",
    }
)
"""Names of times that cover a whole answer."""


def read_provider_clocks(
    usage: RawValue, kept: Mapping[str, RawValue], choices: Iterable[Choice]
) -> tuple[ProviderClock, ...]:
    """Return all stated times: in usage, outside the choices, on the choices."""
    found = [*_inside(usage, IN_USAGE)]
    if isinstance(usage.value, dict) and (inner := usage.value.get("latency_checkpoint")):
        path = (*usage.path, "latency_checkpoint")
        found += _inside(RawValue(inner, usage.at, usage.text, path), OPENAI)
    for name in filter(kept.__contains__, BESIDE_CHOICES):
        found += _inside(kept[name], BESIDE_CHOICES[name])
    for name in filter(kept.__contains__, OLLAMA):
        found.append(_clock(name, kept[name], OLLAMA[name], RawValues(kept[name].text)))
    for position, choice in enumerate(choices):
        if isinstance(spelt := choice.duration_seconds, str):
            path = ("choices", position, "duration_seconds")
            found.append(_describe_clock("duration_seconds", path, None, spelt, "s"))
    return tuple(found)


def _inside(held: RawValue, units: Mapping[str, str]) -> Iterator[ProviderClock]:
    if not isinstance(held.value, dict) or units.keys().isdisjoint(held.value):
        return
    spelling = RawValues(held.text)
    for name, unit in units.items():
        if (value := held.value.get(name)) is not None:
            found = RawValue(value, held.at, held.text, (*held.path, name))
            yield _clock(name, found, unit, spelling)


def _clock(name: str, found: RawValue, unit: str, spelling: RawValues) -> ProviderClock:
    raw = spelling.at(found.path)
    text = raw.decode(errors="replace") if raw else str(found.value)
    event = found.at if isinstance(found.at, int) else None
    return _describe_clock(name, found.path, event, text, unit)


def _describe_clock(
    name: str, path: Sequence[str | int], event: int | None, text: str, unit: str
) -> ProviderClock:
    seconds, fault = _seconds(text, unit)
    shown = text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + "…"
    return ProviderClock(
        name=name,
        pointer=pointer_to(path),
        event=event,
        value=shown,
        unit=unit,
        seconds=seconds,
        fault=fault,
    )


def _seconds(text: str, unit: str) -> tuple[str | None, str | None]:
    """Convert to seconds exactly: seconds, or None and why not; twice None for a valid speed."""
    if not _IS_NUMBER(text):
        return None, "not a number"
    if text.startswith("-") and text.strip("-0.") != "":
        return None, "negative"
    value = _amount(text, POWERS.get(unit, 0)) if len(text) <= MAX_CHARACTERS else None
    if value is None or value and not SMALLEST <= value.adjusted() <= LARGEST:
        return None, "out of range"
    if unit == SPEED:
        return None, None
    return (f"{value:f}", None) if value <= LONGEST_SECONDS else (None, "longer than a day")


def _amount(text: str, power: int) -> Decimal | None:
    """Return the absolute value times a power of ten; None if no Decimal can hold it."""
    try:
        _, digits, exponent = Decimal(text).as_tuple()
        return Decimal((0, digits, int(exponent) + power))
    except InvalidOperation:
        return None
