"""Cloudflare's AI gateway: the bodies are those of whoever stands behind it."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="cloudflare",
    title="Cloudflare AI Gateway",
    layer=Layer.GATEWAY,
    hosts=("gateway.ai.cloudflare.com", "api.cloudflare.com"),
    headers=("cf-aig-",),
)
