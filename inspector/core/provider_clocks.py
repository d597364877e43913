"""Times and speeds that the provider states itself, as the wire spelt them.

They count on another clock and from another moment than recorded times, so they stand beside them
and nothing is computed of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from inspector.core.analysis import ProviderClock
from inspector.core.completion import Choice
from inspector.core.cursor import Found
from inspector.core.pointer import pointer_to
from inspector.core.spelling import Spelling

SPEED = "tokens/s"
POWERS = {"s": 0, "ms": -3, "ns": -9}
LONGEST_SECONDS = 86_400
SMALLEST, LARGEST = -15, 12
"""Powers of ten: nobody measures below a femtosecond, or makes so many tokens."""
MAX_CHARACTERS = 60
NOWHERE = Found()
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
}
KEPT = frozenset(BESIDE_CHOICES) | frozenset(OLLAMA)
"""Top-level fields whose spelling the fold must keep."""
TOTALS = frozenset(
    {"total_time", "total_latency", "total_duration", "total_duration_ms", "duration_seconds"}
)
"""Names of the times that cover a whole answer."""


def provider_clocks(
    usage: Found, kept: Mapping[str, Found], choices: Iterable[Choice]
) -> tuple[ProviderClock, ...]:
    """All that is told: in usage, beside the choices, on the choices."""
    found = [*_inside(usage, IN_USAGE)]
    if isinstance(usage.value, dict):
        inner = usage.value.get("latency_checkpoint")
        path = (*usage.path, "latency_checkpoint")
        found += _inside(Found(inner, usage.at, usage.text, path), OPENAI)
    for name, units in BESIDE_CHOICES.items():
        found += _inside(kept.get(name, NOWHERE), units)
    found += [_clock(name, kept[name], unit) for name, unit in OLLAMA.items() if name in kept]
    for position, choice in enumerate(choices):
        if isinstance(spelt := choice.duration_seconds, str):
            path = ("choices", position, "duration_seconds")
            found.append(_told("duration_seconds", path, None, spelt, "s"))
    return tuple(found)


def _inside(held: Found, units: Mapping[str, str]) -> Iterator[ProviderClock]:
    if isinstance(held.value, dict):
        for name, unit in units.items():
            if (value := held.value.get(name)) is not None:
                yield _clock(name, Found(value, held.at, held.text, (*held.path, name)), unit)


def _clock(name: str, found: Found, unit: str) -> ProviderClock:
    raw = Spelling(found.text).at(found.path)
    text = raw.decode(errors="replace") if raw else str(found.value)
    event = found.at if isinstance(found.at, int) else None
    return _told(name, found.path, event, text, unit)


def _told(
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
    """The same in seconds, exactly, or why it is no time."""
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
    """A number without its sign, times a power of ten; None where no decimal can hold it."""
    try:
        _, digits, exponent = Decimal(text).as_tuple()
        return Decimal((0, digits, int(exponent) + power))
    except InvalidOperation:
        return None
