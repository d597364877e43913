"""Answers that say what they used, and nothing else."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis, Timeline, Verdict
from inspector.core.completion import Choice
from inspector.core.fields.service_tier import ServiceTier, ServiceTierFold
from inspector.core.json import Json
from inspector.core.tokens.usage import read_usage
from inspector.core.vendors import vendor_named
from inspector.usage.cost.billable import billable_of
from inspector.usage.cost.notes import CostNote, NoteValue
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.receipts import CostReceipt, receipt_of

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
        usage=read_usage(usage, "/usage", _text(usage), vendor=vendor_named(vendor)),
        service_tier=_service_tier(top, usage),
        timeline=Timeline(),
        repair=None,
        findings=(),
    )


def _service_tier(top: dict[str, Json], usage: Json) -> ServiceTier | None:
    fold = ServiceTierFold()
    inside = usage.get("service_tier", UNSET) if isinstance(usage, dict) else UNSET
    fold.take(top.get("service_tier", UNSET), inside)
    return fold.found


def receipt(
    vendor: str | None, model: str | None, usage: Json = UNSET, at: datetime = AT, **more: Any
) -> CostReceipt:
    return receipt_for(answer(vendor, model, usage, **more), at)


def receipt_for(
    read: Analysis,
    at: datetime = AT,
    request_model: str | None = None,
    overrides: Sequence[Override] = (),
) -> CostReceipt:
    return receipt_of(billable_of(read, request_model), at, overrides)


def note(code: str, **values: NoteValue) -> CostNote:
    return CostNote(code, values)


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
