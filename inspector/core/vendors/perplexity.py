"""Perplexity: sources next to the choices; a stream ends with an object of its own."""

from inspector.core.formats.dialect import EndMark
from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

CLOSING = "chat.completion.done"


def recognises(clues: VendorSignals) -> bool:
    searched = {"citations", "search_results"} <= clues.signs.top
    return (
        searched
        or CLOSING in clues.signs.objects
        or "search_context_size" in clues.usage
        or "cost/request_cost" in clues.usage
    )


VENDOR = Vendor(
    slug="perplexity",
    title="Perplexity",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("perplexity.ai",),
    top_fields={
        "citations": "addresses of the sources",
        "search_results": "the sources with title and date",
        "images": "images that were found",
        "related_questions": "questions that might follow",
    },
    usage_fields={
        "search_context_size": "how much was read of the sources",
        "citation_tokens": "tokens of the sources",
        "num_search_queries": "searches that were made",
    },
    cost_path=("cost", "total_cost"),
    objects=frozenset({CLOSING, "chat.completion"}),
    closing_objects=frozenset({CLOSING}),
    end_mark=EndMark.NONE,
    breaks={
        "message.in-stream": "every chunk repeats the message so far beside its delta",
        "message.delta-in-whole": "a complete answer has an empty delta beside its message",
    },
)
