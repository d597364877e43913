"""Pydantic's gateway: an estimate of the cost inside usage."""

from inspector.core.vendors.vendor import CHAT, RESPONSES, Vendor, VendorLayer

VENDOR = Vendor(
    slug="pydantic-gateway",
    title="Pydantic AI Gateway",
    layer=VendorLayer.GATEWAY,
    bases=(*CHAT, RESPONSES, "anthropic", "gemini"),
    recognises=lambda clues: "pydantic_ai_gateway" in clues.usage,
    hosts=("gateway.pydantic.dev",),
    headers=("pydantic-ai-gateway-",),
    usage_fields={"pydantic_ai_gateway": "what the gateway estimates it to cost"},
)
