"""Hyperbolic: its bodies are those of the engine it runs."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="hyperbolic",
    title="Hyperbolic",
    layer=VendorLayer.MAKER,
    hosts=("hyperbolic.xyz",),
)
