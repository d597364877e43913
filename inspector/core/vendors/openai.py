"""OpenAI itself: recognised by its ids, if nothing in the body is foreign to OpenAI."""

import re

from inspector.core.formats.openai_chat import DIALECT as CHAT_DIALECT
from inspector.core.vendors.vendor import RESPONSES, Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"(chatcmpl|cmpl)-[0-9A-Za-z]{29}")
_RESPONSE_ID = re.compile(r"resp_(0[0-9a-f]{49}|6[78][0-9a-f]{46})")
"""With a version prefix, or the older form that begins with the Unix time, 2024 to 2025."""
_FINGERPRINT = re.compile(r"fp_[0-9a-z]{10}")
_TOP = CHAT_DIALECT.top_fields | {"obfuscation", "moderation", "metadata"}
_CHOICE = {"finish_reason", "logprobs"}
_MESSAGE = {"role", "content", "refusal", "annotations", "tool_calls", "function_call", "audio"}


def recognises(clues: VendorSignals) -> bool:
    """Requires several signs, because most vendors imitate OpenAI's answers."""
    if clues.dialect == RESPONSES:
        is_filtered = "content_filters" in clues.answer
        return _RESPONSE_ID.fullmatch(clues.id) is not None and not is_filtered
    signs = clues.signs
    if _ID.fullmatch(clues.id) is None or not signs.top <= _TOP:
        return False
    if not signs.choice <= _CHOICE or not signs.message <= _MESSAGE:
        return False
    named = _FINGERPRINT.fullmatch(clues.fingerprint) is not None
    added = "obfuscation" in signs.top or "refusal" in signs.message
    return named or added or clues.service_tier is not None


VENDOR = Vendor(
    slug="openai",
    title="OpenAI",
    layer=VendorLayer.MAKER,
    bases=("openai-chat", RESPONSES),
    recognises=recognises,
    hosts=("openai.com",),
    headers=("openai-",),
    top_fields={
        "obfuscation": "padding that hides the length of a chunk",
        "moderation": "what the moderation says of input and output",
        "metadata": "the pairs that the request gave",
        "tool_usage": "tokens of the tools that OpenAI ran",
    },
    message_fields={"audio": "the spoken answer with its transcript"},
)
