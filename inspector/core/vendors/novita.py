"""Novita: a content filter without Azure's prompt results; service level figures in chunks."""

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals


def recognises(clues: VendorSignals) -> bool:
    top, choice = clues.signs.top, clues.signs.choice
    is_filtered = "content_filter_results" in choice and "prompt_filter_results" not in top
    # Azure sends null or a fingerprint, Novita an empty text.
    is_silent = "system_fingerprint" in top and clues.fingerprint == ""
    return "sla_metrics" in top or (is_filtered and is_silent and "service_tier" not in top)


VENDOR = Vendor(
    slug="novita",
    title="Novita",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("novita.ai",),
    top_fields={"sla_metrics": "time to the first token in ms, and the time of the chunk in µs"},
    choice_fields={"content_filter_results": "what the content filter says of the answer"},
    breaks={"envelope.fingerprint-missing": "its fingerprint is always empty"},
)
