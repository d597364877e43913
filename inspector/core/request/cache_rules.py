"""Prompt caches as providers document them: from how many tokens on, in which steps, how long and
by whose marks.

Read in November 2026 at the addresses in ``source``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from inspector.core.request.outline import CacheMarks

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_OPENAI = "https://developers.openai.com/api/docs/guides/prompt-caching"
_AZURE = "https://learn.microsoft.com/azure/foundry/openai/how-to/prompt-caching"
_ANTHROPIC = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching"
_BEDROCK = "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html"
_GEMINI = "https://ai.google.dev/gemini-api/docs/caching"
_DEEPSEEK = "https://api-docs.deepseek.com/guides/kv_cache"


@dataclass(frozen=True, slots=True)
class CacheRule:
    """``minimum`` tokens are the shortest prefix that is cached, and it is cached in ``step``
    tokens. An entry lasts ``lifetime_seconds`` from its last use, None where nothing is promised.
    """

    vendor: str
    models: tuple[str, ...]
    """Parts of names of models; of several rules the first that has one applies, "" is any."""
    minimum: int
    step: int
    lifetime_seconds: int | None
    source: str
    is_marked: bool = False
    """Cached is what the request marks, and the answer states how much was written."""
    is_best_effort: bool = False
    """The provider promises no hit, so a miss without another cause is none of the sender's."""


RULES = (
    # Since GPT-5.6 an entry lasts 30 minutes at least.
    *(
        CacheRule(vendor, models, 1_024, 128, lifetime, source, is_best_effort=True)
        for vendor, source in (("openai", _OPENAI), ("azure", _AZURE))
        for models, lifetime in ((("gpt-5.6", "gpt-6"), 30 * MINUTE), (("",), 5 * MINUTE))
    ),
    *(
        CacheRule(vendor, models, minimum, 1, 5 * MINUTE, source, is_marked=True)
        for vendor, source in (("anthropic", _ANTHROPIC), ("bedrock", _BEDROCK))
        for models, minimum in (
            (("opus-5", "fable-5", "mythos-5"), 512),
            (("opus-4-5", "opus-4-6", "opus-4-7", "haiku-4-5"), 4_096),
            (("3-5-haiku", "3-haiku", "haiku-3"), 2_048),
            (("claude",), 1_024),
        )
    ),
    CacheRule("bedrock", ("nova",), 1_000, 1, 5 * MINUTE, _BEDROCK, is_marked=True),
    *(
        CacheRule(vendor, models, minimum, 1, None, _GEMINI, is_best_effort=True)
        for vendor in ("gemini", "vertexai")
        for models, minimum in ((("gemini-2.5",), 2_048), (("gemini",), 4_096))
    ),
    # On disk; what is unused goes within hours or days.
    CacheRule("deepseek", ("",), 64, 64, HOUR, _DEEPSEEK, is_best_effort=True),
)


def cache_rule(vendor: str | None, model: str | None, marks: CacheMarks) -> CacheRule | None:
    """The rule for a call, by what it asks for; None where none is documented."""
    found = next(_rules_of(vendor or "", (model or "").lower().replace("@", "-")), None)
    if found is None:
        return None
    if found.is_marked and marks.lasts_an_hour:
        return replace(found, lifetime_seconds=HOUR)
    if marks.retention == "24h":
        return replace(found, lifetime_seconds=DAY)
    return found


def _rules_of(vendor: str, model: str) -> Iterator[CacheRule]:
    for rule in RULES:
        if rule.vendor == vendor and any(part in model for part in rule.models):
            yield rule
