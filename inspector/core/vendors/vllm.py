"""vLLM, and vendors that run it: stop reason, token ids, and transfers of caches."""

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_TOP = {"kv_transfer_params", "prompt_logprobs", "prompt_token_ids"}
_CHOICE = {"stop_reason", "token_ids", "prompt_logprobs", "routed_experts"}


def recognises(clues: VendorSignals) -> bool:
    return bool(_TOP & clues.signs.top) or bool(_CHOICE & clues.signs.choice)


VENDOR = Vendor(
    slug="vllm",
    title="vLLM",
    layer=VendorLayer.ENGINE,
    recognises=recognises,
    top_fields={
        "kv_transfer_params": "how the cache was moved between servers",
        "prompt_logprobs": "log probabilities of the prompt",
        "prompt_token_ids": "numbers of the prompt's tokens",
        "prompt_text": "the prompt as the model saw it",
        "metrics": "times of the request",
    },
    choice_fields={
        "stop_reason": "the stop text, or the number of the token, that ended it",
        "prompt_logprobs": "log probabilities of the prompt",
        "token_ids": "numbers of the answer's tokens",
        "prompt_token_ids": "numbers of the prompt's tokens",
        "routed_experts": "which experts of the model each token went to",
    },
    usage_fields={"prompt_tokens_details/multimodal_tokens": "tokens of images and sounds"},
    finish_reasons={"abort": "the request was ended from outside", "error": "the engine failed"},
)
