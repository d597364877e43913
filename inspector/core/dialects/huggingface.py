"""Hugging Face: its router, told by the host alone, and its own engine, told by the fingerprint."""

import re

from inspector.core.dialects.vendor import CHAT, Clues, Layer, Vendor

_FINGERPRINT = re.compile(r"\d+\.\d+\.\d+(-dev\d*)?-sha-[0-9a-f]{7,}")


def recognises(clues: Clues) -> bool:
    if clues.dialect == "provider-error":
        return "error_type" in clues.signs.top
    return _FINGERPRINT.fullmatch(clues.fingerprint) is not None


VENDOR = Vendor(
    slug="huggingface",
    title="Hugging Face",
    layer=Layer.GATEWAY,
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
