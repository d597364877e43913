"""Ollama: an engine that serves its own format and OpenAI's."""

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals


def is_own(clues: VendorSignals) -> bool:
    """True for the native format, and for Ollama's fingerprint on the OpenAI-compatible route."""
    return clues.dialect == "ollama" or clues.fingerprint == "fp_ollama"


VENDOR = Vendor(
    slug="ollama",
    title="Ollama",
    layer=VendorLayer.ENGINE,
    bases=(*CHAT, "ollama"),
    recognises=is_own,
    hosts=("ollama.com",),
    finish_reasons={"load": "the model was loaded and asked nothing"},
)
