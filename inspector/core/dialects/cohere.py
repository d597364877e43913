"""Cohere's route for OpenAI's clients: its bodies bear no sign of their own."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="cohere",
    title="Cohere",
    layer=Layer.MAKER,
    hosts=("cohere.com", "cohere.ai"),
)
