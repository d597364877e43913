"""Nebius: its bodies are those of the engine it runs."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="nebius",
    title="Nebius",
    layer=VendorLayer.MAKER,
    hosts=("nebius.com", "nebius.ai"),
)
