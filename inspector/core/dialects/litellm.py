"""LiteLLM's proxy: the bodies are those of whoever stands behind it."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="litellm",
    title="LiteLLM",
    layer=Layer.GATEWAY,
    headers=("x-litellm-",),
    message_fields={
        "thinking_blocks": "reasoning in Anthropic's shape, with signatures",
        "provider_specific_fields": "what the provider behind it adds",
    },
)
