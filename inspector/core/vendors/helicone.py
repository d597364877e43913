"""Helicone's gateway: bodies are passed through from the vendor behind it."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="helicone",
    title="Helicone",
    layer=VendorLayer.GATEWAY,
    hosts=("helicone.ai", "hconeai.com"),
    headers=("helicone-",),
)
