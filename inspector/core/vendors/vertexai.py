"""Gemini and Anthropic models on Google's Vertex AI."""

from inspector.core.vendors.gemini import GEMINI_CHOICE
from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals


def recognises(clues: VendorSignals) -> bool:
    if clues.dialect == "gemini":
        return "createTime" in clues.signs.top or "usageMetadata/trafficType" in clues.usage
    return clues.id.startswith("msg_vrtx_")


VENDOR = Vendor(
    slug="vertexai",
    title="Vertex AI",
    layer=VendorLayer.CLOUD,
    bases=(*CHAT, "gemini", "anthropic"),
    recognises=recognises,
    hosts=("aiplatform.googleapis.com", "-aiplatform.googleapis.com"),
    choice_fields=GEMINI_CHOICE,
    breaks={"usage.total-mismatch": "the total counts thinking that no other count tells"},
)
