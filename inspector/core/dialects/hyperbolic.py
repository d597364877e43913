"""Hyperbolic: its bodies are those of the engine that it runs."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="hyperbolic",
    title="Hyperbolic",
    layer=Layer.MAKER,
    hosts=("hyperbolic.xyz",),
)
