"""Groq: its request id and, in streams, the usage inside ``x_groq``; times inside usage."""

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals

TIMES = {"queue_time", "prompt_time", "completion_time", "total_time"}


def recognises(clues: VendorSignals) -> bool:
    if clues.dialect == "provider-error":
        return "failed_generation" in clues.error
    return bool({"x_groq", "usage_breakdown"} & clues.signs.top) or clues.usage >= TIMES


VENDOR = Vendor(
    slug="groq",
    title="Groq",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, "provider-error"),
    recognises=recognises,
    hosts=("groq.com",),
    headers=("x-groq-",),
    top_fields={
        "x_groq": "the request's id, an error, and in streams the usage",
        "usage_breakdown": "usage of each model that took part",
    },
    message_fields={
        "channel": "the part of the answer that this text belongs to",
        "executed_tools": "tools that Groq ran itself, with their results",
    },
    usage_fields={
        "queue_time": "time in the queue in s",
        "prompt_time": "time spent on the prompt in s",
        "completion_time": "time spent on the answer in s",
        "total_time": "prompt and completion time in s",
    },
)
