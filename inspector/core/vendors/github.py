"""GitHub Models: served by Azure, with Azure's bodies."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="github",
    title="GitHub Models",
    layer=VendorLayer.GATEWAY,
    hosts=("models.github.ai", "githubcopilot.com", "models.inference.ai.azure.com"),
)
