"""Helicone's gateway: the bodies are those of whoever stands behind it."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="helicone",
    title="Helicone",
    layer=Layer.GATEWAY,
    hosts=("helicone.ai", "hconeai.com"),
    headers=("helicone-",),
)
