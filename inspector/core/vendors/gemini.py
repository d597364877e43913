"""Gemini: a maker, in its own format or behind an OpenAI-compatible route."""

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals

GEMINI_CHOICE = {
    "avgLogprobs": "mean log probability of the tokens",
    "citationMetadata": "sources that the text quotes, drawn as annotations",
    "finishMessage": "what the finish reason means here",
    "groundingMetadata": "searches, sources, and the passages that rest on them",
    "safetyRatings": "how likely the answer is harmful, by category",
    "tokenCount": "tokens of this candidate",
    "urlContextMetadata": "addresses that were retrieved",
}


def is_own(clues: VendorSignals) -> bool:
    """True for the native format, and for thought signatures on the OpenAI-compatible route."""
    if clues.dialect == "gemini":
        return True
    names = {"extra_content", "thought_signature"}
    return bool(names & (clues.signs.message | clues.calls))


VENDOR = Vendor(
    slug="gemini",
    title="Gemini",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, "gemini"),
    recognises=is_own,
    hosts=("generativelanguage.googleapis.com",),
    message_fields={
        "extra_content": "thought signature and whether this is a thought",
        "thought_signature": "to be sent back with the next request",
    },
    choice_fields=GEMINI_CHOICE,
    breaks={"usage.total-mismatch": "the total counts thinking that no other count tells"},
)
