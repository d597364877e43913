"""LiteLLM's proxy: bodies are passed through from the vendor behind it."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="litellm",
    title="LiteLLM",
    layer=VendorLayer.GATEWAY,
    headers=("x-litellm-",),
    usage_fields={
        "cost": "its own estimate, which the provider behind it did not state",
    },
    message_fields={
        "thinking_blocks": "reasoning in Anthropic's shape, with signatures",
        "provider_specific_fields": "what the provider behind it adds",
    },
)
