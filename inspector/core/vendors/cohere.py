"""Cohere's OpenAI-compatible route: its bodies have no sign of their own."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="cohere",
    title="Cohere",
    layer=VendorLayer.MAKER,
    hosts=("cohere.com", "cohere.ai"),
)
