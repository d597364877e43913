"""SGLang: the stop that matched, and figures of its scheduler."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="sglang",
    title="SGLang",
    layer=VendorLayer.ENGINE,
    recognises=lambda clues: "matched_stop" in clues.signs.choice,
    over=("vllm",),
    top_fields={"sglext": "what the scheduler says of the request"},
    choice_fields={
        "matched_stop": "the stop text, or the number of the token, that ended it",
        "hidden_states": "the model's hidden states",
    },
    finish_reasons={"abort": "the request was ended from outside"},
)
