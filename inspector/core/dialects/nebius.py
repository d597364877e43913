"""Nebius: its bodies are those of the engine that it runs."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="nebius",
    title="Nebius",
    layer=Layer.MAKER,
    hosts=("nebius.com", "nebius.ai"),
)
