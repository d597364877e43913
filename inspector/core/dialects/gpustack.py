"""GPUStack: speeds inside usage, beside what the engine behind it adds."""

from inspector.core.dialects.vendor import Layer, Vendor

SPEEDS = {"time_to_first_token_ms", "time_per_output_token_ms", "tokens_per_second"}

VENDOR = Vendor(
    slug="gpustack",
    title="GPUStack",
    layer=Layer.CLOUD,
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
