"""Cerebras: times of the request beside the choices."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="cerebras",
    title="Cerebras",
    layer=Layer.MAKER,
    recognises=lambda clues: "time_info" in clues.signs.top,
    hosts=("cerebras.ai",),
    top_fields={"time_info": "queue, prompt, completion and total time in s"},
)
