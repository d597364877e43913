"""Hugging Face: its router, recognised by the host alone, and its engine, by the fingerprint."""

import re

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals

_FINGERPRINT = re.compile(r"\d+\.\d+\.\d+(-dev\d*)?-sha-[0-9a-f]{7,}")


def recognises(clues: VendorSignals) -> bool:
    if clues.dialect == "provider-error":
        return "error_type" in clues.signs.top
    return _FINGERPRINT.fullmatch(clues.fingerprint) is not None


VENDOR = Vendor(
    slug="huggingface",
    title="Hugging Face",
    layer=VendorLayer.GATEWAY,
    bases=(*CHAT, "provider-error"),
    recognises=recognises,
    hosts=("huggingface.co", "huggingface.cloud"),
    headers=("x-compute-characters", "x-inference-provider"),
    finish_reasons={
        "eos": "the model ended its text",
        "eos_token": "the model ended its text",
        "stop_sequence": "a stop sequence was reached",
    },
    objects=frozenset({"text_completion"}),
)
