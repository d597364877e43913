"""OpenRouter: the provider that answered, its original finish reason, and the cost inside usage."""

import re

from inspector.core.vendors.vendor import CHAT, RESPONSES, Vendor, VendorLayer, VendorSignals

COMMENT = "OPENROUTER PROCESSING"
_ID = re.compile(r"gen-\d{10}-[0-9A-Za-z]{20}")


def recognises(clues: VendorSignals) -> bool:
    if COMMENT in clues.comments:
        return True
    if clues.dialect == "provider-error":
        return {"code", "message", "metadata"} <= clues.error
    if clues.dialect == RESPONSES:
        return _ID.fullmatch(clues.id) is not None
    if "provider" not in clues.signs.top:
        return False
    return "native_finish_reason" in clues.signs.choice or _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="openrouter",
    title="OpenRouter",
    layer=VendorLayer.GATEWAY,
    bases=(*CHAT, RESPONSES, "provider-error"),
    recognises=recognises,
    hosts=("openrouter.ai",),
    headers=("x-generation-id",),
    top_fields={
        "provider": "who answered behind the router",
        "user_id": "the account that asked",
    },
    choice_fields={
        "native_finish_reason": "the finish reason as the provider gave it",
        "error": "an error of the provider",
    },
    message_fields={
        "reasoning_details": "reasoning as typed entries: text, summary or encrypted",
        "images": "generated images",
    },
    usage_fields={
        "is_byok": "paid with the caller's own key at the provider",
        "server_tool_use_details": "tools that the router ran",
    },
    cost_path=("cost",),
    finish_reasons={"error": "the provider failed while it answered"},
    counted_outside=frozenset({"reasoning_tokens"}),
)
