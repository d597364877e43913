"""DeepSeek: cache hits and misses counted apart; keep-alive comments while a request waits."""

import re

from inspector.core.dialects.vendor import Clues, Layer, Vendor

_FINGERPRINT = re.compile(r"fp_[0-9a-z]{10}_prod\w*_kvcache\w*")


def recognises(clues: Clues) -> bool:
    """Others have taken over the counts, but not together with a fingerprint."""
    counts = {"prompt_cache_hit_tokens", "prompt_cache_miss_tokens"} <= clues.usage
    named = clues.fingerprint.startswith("fp_")
    return (counts and named) or _FINGERPRINT.fullmatch(clues.fingerprint) is not None


VENDOR = Vendor(
    slug="deepseek",
    title="DeepSeek",
    layer=Layer.MAKER,
    recognises=recognises,
    hosts=("deepseek.com",),
    headers=("x-ds-trace-id", "x-ds-request-id"),
    finish_reasons={"insufficient_system_resource": "interrupted: the system lacked resources"},
)
