"""The sums that are kept, beside a recount of the stored analyses."""

from collections import Counter, defaultdict

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
Totals = dict[str, Counter[str]]
"""By model, then by name; ``captures`` are those that sent usage."""


def sound(told: dict[str, int]) -> dict[str, int]:
    """More cached tokens than the prompt has are not added: one of the two is wrong."""
    if told.get("cached_tokens", 0) > told.get("prompt_tokens", MAX_TOKENS):
        return {name: count for name, count in told.items() if name != "cached_tokens"}
    return told


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
    from inspector.archive import readouts
    from inspector.archive.models import Document

    found: Totals = defaultdict(Counter)
    for row in Document.objects.iterator():
        stored = readouts.load(bytes(row.readout))
        assert stored is not None
        analysis, usage = stored.analysis, stored.analysis.usage
        if usage.reported:
            sent = {name: getattr(usage, name) for name in PLACES}
            told = {n: v for n, v in sent.items() if isinstance(v, int) and v < MAX_TOKENS}
            found[analysis.model or ""] += Counter({"captures": 1, **sound(told)})
    return found


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
