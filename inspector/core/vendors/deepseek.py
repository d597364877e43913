"""DeepSeek: cache hits and misses counted apart; keep-alive comments while a request waits."""

import re

from inspector.core.vendors.vendor import CHAT, RESPONSES, Vendor, VendorLayer, VendorSignals

_RESPONSE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FINGERPRINT = re.compile(r"fp_[0-9a-z]{10}_prod\w*_kvcache\w*")


def recognises(clues: VendorSignals) -> bool:
    """Other vendors send the same counts, but not together with a fingerprint."""
    if clues.dialect == RESPONSES:
        return "content_filters" in clues.answer and _RESPONSE_ID.fullmatch(clues.id) is not None
    counts = {"prompt_cache_hit_tokens", "prompt_cache_miss_tokens"} <= clues.usage
    named = clues.fingerprint.startswith("fp_")
    return (counts and named) or _FINGERPRINT.fullmatch(clues.fingerprint) is not None


VENDOR = Vendor(
    slug="deepseek",
    title="DeepSeek",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, RESPONSES),
    recognises=recognises,
    hosts=("deepseek.com",),
    headers=("x-ds-trace-id", "x-ds-request-id"),
    promises=frozenset({"cache-hit-and-miss"}),
    finish_reasons={"insufficient_system_resource": "interrupted: the system lacked resources"},
)
