"""Vercel's AI gateway: its own ids, and its choice of provider."""

import re

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"gen_[0-9A-HJKMNP-TV-Z]{26}")


def recognises(clues: VendorSignals) -> bool:
    routed = "generationId" in clues.signs.top or "provider_metadata" in clues.signs.message
    return routed and _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="vercel-gateway",
    title="Vercel AI Gateway",
    layer=VendorLayer.GATEWAY,
    recognises=recognises,
    hosts=("ai-gateway.vercel.sh",),
    top_fields={"generationId": "the gateway's id of the answer"},
    message_fields={
        "provider_metadata": "what provider and gateway say of the answer: routing, cost",
        "reasoning_details": "reasoning as typed entries: text, summary or encrypted",
    },
    usage_fields={
        "market_cost": "cost in USD at list prices",
        "is_byok": "paid with the caller's own key at the provider",
        "cache_creation_input_tokens": "tokens written to the cache",
    },
    counted_outside=frozenset({"reasoning_tokens"}),
)
