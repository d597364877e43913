"""Whether sums can be believed: the same recordings added up three ways, and as others add them up.

    python3 bench/totals.py [FOLDER]

The completions in a folder of recordings (``.json .sse .ndjson .txt``) are sent into an archive of
their own (SQLite, thrown away), with three answers of our own. Told for each model is what the kept
sums say, beside a recount of the stored analyses and beside a reading of the files that knows
nothing of this project: plain JSON, one line of a stream after the other. Then what mistakes that
are known of other products would make of the same captures, in tokens and dollars. Ends with 1
where two of the three differ. Loopback only; needs the project's environment.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

RECORDINGS = ROOT.parent / "shared" / "corpus"
TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
PLACES = {
    "prompt_tokens": ["prompt_tokens"],
    "completion_tokens": ["completion_tokens"],
    "total_tokens": ["total_tokens"],
    "cached_tokens": [
        "prompt_tokens_details.cached_tokens",
        "cached_tokens",
        "prompt_token_details.cached_tokens",
    ],
    "reasoning_tokens": [
        "completion_tokens_details.reasoning_tokens",
        "reasoning_tokens",
        "completion_token_details.reasoning_tokens",
    ],
    "rejected_prediction_tokens": ["completion_tokens_details.rejected_prediction_tokens"],
    "completion_audio_tokens": ["completion_tokens_details.audio_tokens"],
}
"""Where vendors put each count in a usage object."""
MAX_TOKENS = 10**9
MADE = (
    ("gpt-5-2025-08-07", "flex", (1200, 1024), (900, 0)),
    ("gpt-4.1-2025-04-14", "priority", (2000, 0), (150, 0)),
    ("gpt-4o-2024-08-06", "default", (300, 0), (420, 160)),
)
"""Of what few recordings hold: model, tier, prompt with cached, completion with rejected tokens."""
Totals = dict[str, Counter[str]]
"""By model, then by name; ``captures`` are those that sent usage."""


# -- from the files alone -------------------------------------------------------------------------


def of_files(bodies: Iterable[bytes]) -> Totals:
    found: Totals = defaultdict(Counter)
    for body in bodies:
        objects = [each for each in objects_in(body) if isinstance(each, dict)]
        usage = last(usages(objects))
        if usage is not None:
            model = next((each["model"] for each in objects if each.get("model")), None)
            name = model if isinstance(model, str) else ""
            found[name] += Counter({"captures": 1, **sound(dict(counts(usage)))})
    return found


def is_completion(body: bytes) -> bool:
    """Formats without choices are only recognised: their counts have other names."""
    return any(isinstance(each, dict) and "choices" in each for each in objects_in(body))


def objects_in(body: bytes) -> Iterator[Any]:
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    try:
        yield json.loads(text)
        return
    except ValueError:
        pass
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        held = line[5:] if line.startswith("data:") else line
        try:
            yield json.loads(held)
        except ValueError:
            continue


def usages(objects: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """At the top, beside it (``x_groq``), or in a choice."""
    for each in objects:
        beside = [value for value in each.values() if isinstance(value, dict)]
        choices = each.get("choices")
        inside = [c for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
        for holder in (*inside, *beside, each):
            if isinstance(holder.get("usage"), dict):
                yield holder["usage"]


def last(found: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    return next(iter(list(found)[::-1]), None)


def counts(usage: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for name, places in PLACES.items():
        for place in places:
            value: Any = usage
            for step in place.split("."):
                value = value.get(step) if isinstance(value, dict) else None
            if type(value) is int and 0 <= value < MAX_TOKENS:
                yield name, value
                break


def sound(told: dict[str, int]) -> dict[str, int]:
    """More cached tokens than the prompt has are not added: one of the two is wrong."""
    if told.get("cached_tokens", 0) > told.get("prompt_tokens", MAX_TOKENS):
        return {name: count for name, count in told.items() if name != "cached_tokens"}
    return told


# -- from the archive -----------------------------------------------------------------------------


def ingest(folder: Path) -> list[bytes]:
    from inspector.archive.inspection.doorbell import doorbell
    from inspector.archive.inspection.tasks import inspect_due
    from inspector.archive.intake import submission
    from inspector.core.wire.exchange import Exchange
    from inspector.teams.access import for_team
    from inspector.teams.models import Team

    doorbell.ring = lambda: None  # type: ignore[method-assign]
    Team.objects.get_or_create(slug="default", defaults={"name": "Default"})
    principal = for_team("default")
    assert principal is not None
    found = [(body, ".json") for body in made()]
    for path in sorted(folder.rglob("*")):
        if path.suffix in TYPES and is_completion(body := path.read_bytes()):
            found.append((body, path.suffix))
    for body, ending in found:
        exchange = Exchange.of_body(body, TYPES[ending])
        submission.accept(principal, submission.Submission(exchange))
    while inspect_due():
        pass
    return [body for body, _ in found]


def made() -> Iterator[bytes]:
    for model, tier, (prompt, cached), (completion, rejected) in MADE:
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"rejected_prediction_tokens": rejected},
        }
        message = {"role": "assistant", "content": "Hello"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1795183339}
        answer = {**head, "model": model, "service_tier": tier, "choices": [choice], "usage": usage}
        yield json.dumps(answer).encode()


def of_sums(team: str = "default") -> Totals:
    """As the page of usage gets them."""
    from django.utils import timezone

    from inspector.teams.access import for_team
    from inspector.usage.measures import Measure
    from inspector.usage.rollup import periods, queries
    from inspector.usage.rollup.tables import MAX_GROUPS

    principal = for_team(team)
    assert principal is not None
    found: Totals = {}
    period = periods.latest("7d", timezone.now())
    for group in queries.for_principal(principal).groups(period, "model", MAX_GROUPS).listed:
        sums = group.sums
        if reported := sums[Measure.USAGE_REPORTED].captures:
            counted = {name: sums[Measure.TOKENS, name] for name in PLACES}
            told = {name: each.total for name, each in counted.items() if each.captures}
            found[group.value or ""] = Counter({"captures": reported, **told})
    return found


def of_documents() -> Totals:
    from inspector.archive.models import Document
    from inspector.archive.storage import document

    found: Totals = defaultdict(Counter)
    for row in Document.objects.iterator():
        analysis = document.unpack(bytes(row.analysis)).analysis
        usage = analysis.usage
        if usage.reported:
            sent = {name: getattr(usage, name) for name in PLACES}
            told = {n: v for n, v in sent.items() if isinstance(v, int) and v < MAX_TOKENS}
            found[analysis.model or ""] += Counter({"captures": 1, **sound(told)})
    return found


# -- as others add them up ------------------------------------------------------------------------


Priced = list[tuple[Any, Any, int]]
"""Bills with the time of arrival and how many tokens of a prediction were rejected."""


def mistakes() -> Iterator[tuple[str, int, str, str]]:
    """What is done, how many captures it touches, tokens and dollars by which it is off."""
    from inspector.usage.cost.token_kinds import TokenKind

    every = bills()
    counted = [each for each in every if hasattr(each[0].quantities, "counts")]
    cached = sum(bill.quantities.counts.get(TokenKind.CACHED, 0) for bill, _, _ in counted)
    rejected = sum(rejected for _, _, rejected in counted)
    yield "cached tokens are added to the prompt", *off(counted, twice_cached, f"+{cached:,}")
    yield "rejected predictions are left out", *off(counted, unrejected, f"-{rejected:,}")
    yield "every tier is priced as the default", *off(counted, default_tier, "the same")
    unknown = [bill for bill, at, _ in every if cost(bill, at) is None]
    sizes = (
        bill.quantities.size(kind)
        for bill in unknown
        if hasattr(bill.quantities, "counts")
        for kind in (TokenKind.PROMPT, TokenKind.COMPLETION)
    )
    yield "an unknown cost is $0", len(unknown), f"{sum(sizes):,} for nothing", "not known"


def bills() -> Priced:
    from inspector.archive.models import Document
    from inspector.archive.storage import document
    from inspector.usage.cost.billable import decode_billable
    from inspector.usage.models import Price

    found = []
    for price in Price.objects.order_by("pk"):
        stored = Document.objects.get(pk=price.pk)
        usage = document.unpack(bytes(stored.analysis)).analysis.usage
        rejected = usage.rejected_prediction_tokens
        count = rejected if isinstance(rejected, int) else 0
        found.append((decode_billable(bytes(price.billable)), price.received_at, count))
    return found


def twice_cached(bill: Any, rejected: int) -> Any:
    from inspector.usage.cost.token_kinds import TokenKind

    return resized(bill, TokenKind.PROMPT, bill.quantities.counts.get(TokenKind.CACHED, 0))


def unrejected(bill: Any, rejected: int) -> Any:
    from inspector.usage.cost.token_kinds import TokenKind

    return resized(bill, TokenKind.COMPLETION, -rejected)


def default_tier(bill: Any, rejected: int) -> Any:
    return replace(bill, tier="")


def resized(bill: Any, kind: Any, more: int) -> Any:
    import msgspec

    counts = bill.quantities.counts | {kind: bill.quantities.counts[kind] + more}
    return replace(bill, quantities=msgspec.structs.replace(bill.quantities, counts=counts))


def cost(bill: Any, at: Any) -> Decimal | None:
    from inspector.usage.cost.receipts import receipt_of

    return receipt_of(bill, at).total_usd


def off(priced: Priced, changed: Callable[[Any, int], Any], tokens: str) -> tuple[int, str, str]:
    """Of the captures whose cost becomes another: how many, and the sums of theirs."""
    costs = [(cost(bill, at), cost(changed(bill, n), at)) for bill, at, n in priced]
    differing = [
        (ours or Decimal(0), theirs or Decimal(0)) for ours, theirs in costs if ours != theirs
    ]
    ours, theirs = (
        (sum(column, Decimal(0)) for column in zip(*differing, strict=True))
        if differing
        else (0, 0)
    )
    return len(differing), tokens, f"${theirs:.6f} in place of ${ours:.6f}"


# -- told -----------------------------------------------------------------------------------------


def shown(kept: Totals, recount: Totals, files: Totals) -> Table:
    names = ["captures", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"]
    table = Table("model answered", *(name.removesuffix("_tokens") for name in names),
                  "recount", "files", title="What the kept sums say")  # fmt: skip
    for model in sorted({*kept, *recount, *files}):
        cells = [f"{kept.get(model, Counter())[name]:,}" for name in names]
        same = [same_as(kept, other, model) for other in (recount, files)]
        table.add_row(ascii(model)[1:-1][:44] or "(none named)", *cells, *same)
    table.add_section()
    every = [f"{sum(each[name] for each in kept.values()):,}" for name in names]
    table.add_row("all", *every, *(same_as_all(kept, other) for other in (recount, files)))
    return table


def same_as(kept: Totals, other: Totals, model: str) -> str:
    ours, theirs = (+found.get(model, Counter()) for found in (kept, other))
    if ours == theirs:
        return "="
    names = [name for name in {*ours, *theirs} if ours[name] != theirs[name]]
    return ", ".join(f"{name} {theirs[name]:,}" for name in sorted(names))


def same_as_all(kept: Totals, other: Totals) -> str:
    return (
        "=" if all(same_as(kept, other, model) == "=" for model in {*kept, *other}) else "differs"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=RECORDINGS)
    folder = parser.parse_args().folder
    if not folder.is_dir():
        print(f"There are no recordings at {folder}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {"INSPECTOR_DATA_DIR": data, "INSPECTOR_BOOTSTRAP": "0"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "inspector.settings"
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, check=True)
        import django

        django.setup()
        logging.disable(logging.CRITICAL)
        files = of_files(ingest(folder))
        kept, recount = of_sums(), of_documents()
        told = Console(width=150)
        told.print(shown(kept, recount, files))
        table = Table("as others do", "captures", "tokens", "dollars", title="Known mistakes")
        for row in mistakes():
            table.add_row(row[0], f"{row[1]:,}", *row[2:])
        told.print(table)
        is_equal = same_as_all(kept, recount) == same_as_all(kept, files) == "="
        return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main())
