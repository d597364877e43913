"""Fireworks: performance figures if the request asks for them."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="fireworks",
    title="Fireworks",
    layer=VendorLayer.MAKER,
    recognises=lambda clues: (
        "perf_metrics" in clues.signs.top or "raw_output" in clues.signs.choice
    ),
    hosts=("fireworks.ai",),
    headers=("fireworks-",),
    top_fields={"perf_metrics": "performance figures of the deployment"},
    choice_fields={"raw_output": "prompt and completion as the model saw them"},
)
