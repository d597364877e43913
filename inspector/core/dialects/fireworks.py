"""Fireworks: performance figures where they are asked for."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="fireworks",
    title="Fireworks",
    layer=Layer.MAKER,
    recognises=lambda clues: (
        "perf_metrics" in clues.signs.top or "raw_output" in clues.signs.choice
    ),
    hosts=("fireworks.ai",),
    headers=("fireworks-",),
    top_fields={"perf_metrics": "performance figures of the deployment"},
    choice_fields={"raw_output": "prompt and completion as the model saw them"},
)
