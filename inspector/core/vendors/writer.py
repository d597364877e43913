"""Writer: data of its tools in every message; chunks have a message next to the delta."""

from inspector.core.formats.dialect import EndMark
from inspector.core.vendors.vendor import Vendor, VendorLayer

OWN_FIELDS = {"graph_data", "llm_data", "translation_data", "web_search_data"}

VENDOR = Vendor(
    slug="writer",
    title="Writer",
    layer=VendorLayer.MAKER,
    recognises=lambda clues: len(OWN_FIELDS & clues.signs.message) > 1,
    hosts=("writer.com",),
    choice_fields={"trace_details": "how the answer came about"},
    message_fields={
        "graph_data": "what the knowledge graph gave",
        "llm_data": "what another model gave",
        "image_data": "what the image tool gave",
        "translation_data": "what the translation gave",
        "web_search_data": "what the web search gave",
    },
    usage_fields={
        "prompt_token_details": "parts of the prompt's tokens",
        "completion_token_details": "parts of the answer's tokens",
    },
    end_mark=EndMark.NONE,
    breaks={
        "message.in-stream": "every chunk says its delta a second time as message",
        "envelope.created-out-of-range": "created may be text",
    },
)
