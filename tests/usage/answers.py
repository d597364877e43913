"""Answers that say what they used, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis, Timeline, Verdict
from inspector.core.completion import Choice, Json
from inspector.core.usage import read_usage
from inspector.usage.bills import bill_of
from inspector.usage.overrides import Override
from inspector.usage.receipts import Receipt, receipt_of

AT = datetime(2026, 11, 20, 14, 2, 19, tzinfo=UTC)


def answer(
    vendor: str | None,
    model: str | None,
    usage: Json = UNSET,
    *,
    costs: tuple[Any, ...] = (UNSET,),
    **top: Json,
) -> Analysis:
    """One choice for each of ``costs``; ``top`` are fields beside the choices."""
    return Analysis(
        dialect="openai-chat",
        vendor=vendor,
        object="chat.completion",
        streamed=False,
        verdict=Verdict.COMPLETE,
        verdict_reason="The choice has a finish reason.",
        model=model,
        completion={"model": model, **top},
        choices=tuple(Choice(index=i, cost_usd=cost) for i, cost in enumerate(costs)),
        usage=read_usage(usage, "/usage", _text(usage)),
        timeline=Timeline(),
        repair=None,
        findings=(),
    )


def receipt(
    vendor: str | None, model: str | None, usage: Json = UNSET, at: datetime = AT, **more: Any
) -> Receipt:
    return receipt_for(answer(vendor, model, usage, **more), at)


def receipt_for(
    read: Analysis,
    at: datetime = AT,
    request_model: str | None = None,
    overrides: Sequence[Override] = (),
) -> Receipt:
    return receipt_of(bill_of(read, request_model), at, overrides)


def tokens(prompt: Json, completion: Json, total: Json = UNSET, **more: Json) -> dict[str, Json]:
    """A usage object; ``prompt`` and ``completion`` as pairs hold the details too."""
    found: dict[str, Json] = dict(more)
    for name, sent in (("prompt", prompt), ("completion", completion)):
        count, details = sent if isinstance(sent, tuple) else (sent, None)
        found[f"{name}_tokens"] = count
        if details is not None:
            found[f"{name}_tokens_details"] = details
    return found if total is UNSET else {**found, "total_tokens": total}


def _text(usage: Json) -> bytes:
    return b"" if usage is UNSET else json.dumps({"usage": usage}).encode()
