"""Portkey's gateway: the bodies are those of whoever stands behind it."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="portkey",
    title="Portkey",
    layer=Layer.GATEWAY,
    hosts=("portkey.ai",),
    headers=("x-portkey-",),
    top_fields={"hook_results": "what the guardrails said"},
)
