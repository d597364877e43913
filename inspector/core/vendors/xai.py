"""xAI: reasoning counted outside the completion tokens; sources and cost inside usage."""

import re

from inspector.core.vendors.vendor import CHAT, RESPONSES, Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(_[a-z]{2}-[a-z]+-\d)?")
_FINGERPRINT = re.compile(r"(fp_[0-9a-f]{10,16})?")
_OLDER = {"prompt_tokens_details/text_tokens", "prompt_tokens_details/image_tokens"}


def recognises(clues: VendorSignals) -> bool:
    """Azure sells the same models, with fingerprints that are not hexadecimal."""
    found = _ID.fullmatch(clues.id)
    if found is None or _FINGERPRINT.fullmatch(clues.fingerprint) is None:
        return False
    own = {"num_sources_used", "cost_in_usd_ticks"} & clues.usage
    return bool(own or found[2]) or clues.usage >= _OLDER


VENDOR = Vendor(
    slug="xai",
    title="xAI",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, RESPONSES),
    headers=("x-metrics-e2e-ms",),
    recognises=recognises,
    hosts=("x.ai",),
    over=("perplexity",),
    top_fields={
        "citations": "addresses of the sources",
        "debug_output": "how the request was made",
    },
    usage_fields={
        "num_sources_used": "sources that a live search used",
        "cost_in_usd_ticks": "cost in ticks of USD",
    },
    counted_outside=frozenset({"reasoning_tokens"}),
)
