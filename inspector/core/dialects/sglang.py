"""SGLang: which stop matched, and what its scheduler adds."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="sglang",
    title="SGLang",
    layer=Layer.ENGINE,
    recognises=lambda clues: "matched_stop" in clues.signs.choice,
    over=("vllm",),
    top_fields={"sglext": "what the scheduler says of the request"},
    choice_fields={
        "matched_stop": "the stop text, or the number of the token, that ended it",
        "hidden_states": "the model's hidden states",
    },
    finish_reasons={"abort": "the request was ended from outside"},
)
