"""Azure OpenAI and Azure's other models: a content filter annotates prompt and answer."""

from inspector.core.vendors.vendor import CHAT, RESPONSES, Vendor, VendorLayer, VendorSignals


def recognises(clues: VendorSignals) -> bool:
    if clues.dialect == "provider-error":
        return "innererror" in clues.error
    if clues.dialect == RESPONSES:
        return "content_filters" in clues.answer and clues.id.startswith("resp_")
    return bool({"prompt_filter_results", "latency_checkpoint"} & clues.signs.top)


VENDOR = Vendor(
    slug="azure",
    title="Azure",
    layer=VendorLayer.CLOUD,
    bases=(*CHAT, RESPONSES, "provider-error"),
    recognises=recognises,
    hosts=("azure.com", "azure-api.net", "azure.us", "azure.cn", "azureml.ms"),
    headers=("apim-request-id", "x-ms-region", "x-ms-deployment-name", "azureml-"),
    top_fields={
        "prompt_filter_results": "what the content filter says of each prompt",
        "latency_checkpoint": "times of the serving engine in ms",
    },
    choice_fields={
        "content_filter_results": "what the content filter says of the answer so far",
        "content_filter_offsets": "up to which character the content filter has read",
        "content_filter_raw": "details of the content filter",
    },
    usage_fields={
        "latency_checkpoint": "times of the serving engine in ms",
        "num_sources_used": "sources that a live search used",
        "cost_in_usd_ticks": "cost in ticks of USD, as the model's maker counts it",
    },
    counted_outside=frozenset({"reasoning_tokens"}),
    breaks={
        "chunks.choices-empty": "its first chunk says what the content filter found in the prompt",
        "chunks.field-missing": "its first chunk says what the content filter found in the prompt",
    },
)
