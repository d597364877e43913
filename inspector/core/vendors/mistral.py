"""Mistral: bare ids of 32 hexadecimal digits, and content that may be a list of parts."""

import re

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"[0-9a-f]{32}")
_TOP = {"id", "object", "created", "model", "choices", "usage", "p"}
_MESSAGE = {"role", "content", "tool_calls", "prefix"}
_COUNTS = {"num_cached_tokens", "prompt_audio_seconds", "service_tier"}


def recognises(clues: VendorSignals) -> bool:
    """Other vendors have such ids too, so no other sign may be present."""
    signs = clues.signs
    if _ID.fullmatch(clues.id) is None or not signs.top <= _TOP:
        return False
    plain = signs.choice <= {"finish_reason", "logprobs"} and signs.message <= _MESSAGE
    return plain or bool({"p"} & signs.top or _COUNTS & clues.usage)


VENDOR = Vendor(
    slug="mistral",
    title="Mistral",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("mistral.ai",),
    headers=("mistral-",),
    top_fields={"p": "padding that hides the length of a chunk"},
    message_fields={"prefix": "the answer continues a prefix of the request"},
    usage_fields={
        "num_cached_tokens": "tokens of the prompt that were cached",
        "prompt_audio_seconds": "length of the audio in the prompt in s",
        "service_tier": "the tier that was used",
    },
    counted_outside=frozenset({"prompt_audio_tokens"}),
    breaks={"tool.type-missing": "its calls may have no type"},
    finish_reasons={
        "model_length": "the model's own length limit",
        "error": "the model failed",
    },
)
