"""Prompt caches as providers document them: from how many tokens on, in which steps, how long and
by whose marks.

Read in November 2026 at the addresses in ``source``.
"""

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
_VERTEX = "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-overview"
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
    is_whole: bool = False
    """An entry is read whole or not at all: a prompt that departs inside it reads nothing."""
    is_best_effort: bool = False
    """The provider promises no hit, so a miss without another cause is none of the sender's."""


_IN_MEMORY = 5 * MINUTE
"""At least; entries go after 5 to 10 minutes without use."""

_RETENTIONS = {"24h": DAY, "in_memory": _IN_MEMORY}
"""Lifetimes that a request may ask for where a model has both."""

RULES = (
    # Since GPT-5.6 an entry lasts 30 minutes at least. GPT-5.5 keeps all for up to a day; of those
    # before that can, OpenAI keeps them by the organization's terms, Azure by what is asked for.
    *(
        CacheRule(vendor, models, 1_024, 128, lifetime, source, is_best_effort=True)
        for vendor, source, unasked in (("openai", _OPENAI, None), ("azure", _AZURE, _IN_MEMORY))
        for models, lifetime in (
            (("gpt-5.6", "gpt-6"), 30 * MINUTE),
            (("gpt-5.5",), DAY),
            (("gpt-5", "gpt-4.1"), unasked),
            (("",), _IN_MEMORY),
        )
    ),
    *(
        CacheRule(vendor, models, minimum, 1, 5 * MINUTE, source, is_marked=True, is_whole=True)
        for vendor, source, of_opus_4_7 in (
            ("anthropic", _ANTHROPIC, 2_048),
            ("bedrock", _BEDROCK, 4_096),
        )
        for models, minimum in (
            (("opus-5", "fable-5", "mythos-5"), 512),
            (("opus-4-7",), of_opus_4_7),
            (("opus-4-5", "opus-4-6", "haiku-4-5"), 4_096),
            (("3-5-haiku", "3-haiku", "haiku-3"), 2_048),
            (("claude",), 1_024),
        )
    ),
    CacheRule("bedrock", ("nova",), 1_000, 1, 5 * MINUTE, _BEDROCK, is_marked=True, is_whole=True),
    *(
        CacheRule(vendor, models, minimum, 1, None, source, is_best_effort=True)
        for vendor, source in (("gemini", _GEMINI), ("vertexai", _VERTEX))
        for models, minimum in ((("gemini-2.5",), 2_048), (("gemini",), 4_096))
    ),
    # On disk; what is unused goes within hours or days.
    CacheRule("deepseek", ("",), 64, 64, HOUR, _DEEPSEEK, is_whole=True, is_best_effort=True),
)


def cache_rule(vendor: str | None, model: str | None, marks: CacheMarks) -> CacheRule | None:
    """Return the rule for a call, by what it asks for; None where none is documented."""
    found = next(_rules_of(vendor or "", (model or "").lower().replace("@", "-")), None)
    if found is None:
        return None
    if found.is_marked and marks.lasts_an_hour:
        return replace(found, lifetime_seconds=HOUR)
    if found.lifetime_seconds in (None, _IN_MEMORY) and marks.retention in _RETENTIONS:
        return replace(found, lifetime_seconds=_RETENTIONS[marks.retention])
    return found


def _rules_of(vendor: str, model: str) -> Iterator[CacheRule]:
    for rule in RULES:
        if rule.vendor == vendor and any(part in model for part in rule.models):
            yield rule
