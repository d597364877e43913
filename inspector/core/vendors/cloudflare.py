"""Cloudflare's AI gateway: bodies are passed through from the vendor behind it."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="cloudflare",
    title="Cloudflare AI Gateway",
    layer=VendorLayer.GATEWAY,
    hosts=("gateway.ai.cloudflare.com", "api.cloudflare.com"),
    headers=("cf-aig-",),
)
