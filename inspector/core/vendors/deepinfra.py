"""DeepInfra: the estimated cost of the request."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="deepinfra",
    title="DeepInfra",
    layer=VendorLayer.MAKER,
    recognises=lambda clues: "estimated_cost" in clues.usage,
    hosts=("deepinfra.com",),
    usage_fields={"estimated_cost": "estimated cost in USD"},
)
