"""Cerebras: times of the request next to the choices."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="cerebras",
    title="Cerebras",
    layer=VendorLayer.MAKER,
    recognises=lambda clues: "time_info" in clues.signs.top,
    hosts=("cerebras.ai",),
    top_fields={"time_info": "queue, prompt, completion and total time in s"},
)
