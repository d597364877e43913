"""GPUStack: speeds inside usage, in addition to what its engine adds."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

SPEEDS = {"time_to_first_token_ms", "time_per_output_token_ms", "tokens_per_second"}

VENDOR = Vendor(
    slug="gpustack",
    title="GPUStack",
    layer=VendorLayer.CLOUD,
    recognises=lambda clues: clues.usage >= SPEEDS,
    usage_fields={
        "time_to_first_token_ms": "time to the first token in ms",
        "time_per_output_token_ms": "time per token of the answer in ms",
        "tokens_per_second": "tokens of the answer per second",
        "prompt_tokens_per_second": "tokens of the prompt per second",
        "draft_tokens": "tokens that the draft model proposed",
        "draft_tokens_acceptance": "share of the draft tokens that were accepted",
    },
)
