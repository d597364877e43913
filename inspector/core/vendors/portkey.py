"""Portkey's gateway: bodies are passed through from the vendor behind it."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="portkey",
    title="Portkey",
    layer=VendorLayer.GATEWAY,
    hosts=("portkey.ai",),
    headers=("x-portkey-",),
    top_fields={"hook_results": "what the guardrails said"},
)
