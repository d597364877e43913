"""Cohere: its own format, and an OpenAI-compatible route whose bodies have no sign of their own."""

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals


def recognises(clues: VendorSignals) -> bool:
    return clues.dialect == "cohere"


VENDOR = Vendor(
    slug="cohere",
    title="Cohere",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, "cohere"),
    recognises=recognises,
    hosts=("cohere.com", "cohere.ai"),
)
