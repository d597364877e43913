"""DeepInfra: what the request is estimated to cost."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="deepinfra",
    title="DeepInfra",
    layer=Layer.MAKER,
    recognises=lambda clues: "estimated_cost" in clues.usage,
    hosts=("deepinfra.com",),
    usage_fields={"estimated_cost": "estimated cost in USD"},
)
