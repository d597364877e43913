"""MiniMax: the status of its base response, and its judgement of the input."""

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer

VENDOR = Vendor(
    slug="minimax",
    title="MiniMax",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, "provider-error"),
    recognises=lambda clues: "base_resp" in clues.signs.top,
    hosts=("minimax.io", "minimaxi.com", "minimax.chat"),
    headers=("minimax-request-id",),
    top_fields={
        "base_resp": "status code and message of the request",
        "input_sensitive": "the input was found sensitive",
        "input_sensitive_type": "kind of what was found in the input",
        "output_sensitive": "the answer was found sensitive",
        "output_sensitive_type": "kind of what was found in the answer",
    },
    usage_fields={"total_characters": "characters counted beside the tokens"},
)
