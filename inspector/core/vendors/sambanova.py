"""SambaNova: times and speeds inside usage."""

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals


def recognises(clues: VendorSignals) -> bool:
    return clues.fingerprint == "fastcoe" or "completion_tokens_after_first_per_sec" in clues.usage


VENDOR = Vendor(
    slug="sambanova",
    title="SambaNova",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("sambanova.ai",),
    usage_fields={
        "time_to_first_token": "time to the first token in s",
        "total_latency": "time of the whole answer in s",
        "start_time": "when the answer began, Unix time in s",
        "end_time": "when the answer ended, Unix time in s",
        "is_last_response": "nothing follows",
        "total_tokens_per_sec": "all tokens per second",
        "completion_tokens_per_sec": "tokens of the answer per second",
        "completion_tokens_after_first_per_sec": "tokens per second after the first",
        "completion_tokens_after_first_per_sec_first_ten": "the same of the first ten",
    },
)
