"""Together: the seed of each choice, the prompt next to the choices, token ids in deltas."""

import re

from inspector.core.vendors.vendor import CHAT, Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"[0-9a-f]{16}(-[A-Z]{3})?")
"""The ray id of the network in front of it, with or without the airport code."""


def recognises(clues: VendorSignals) -> bool:
    signs = clues.signs
    if _ID.fullmatch(clues.id) is not None and {"prompt", "error"} & signs.top:
        return True
    return "text.completion" in signs.objects or (
        "seed" in signs.choice and ("prompt" in signs.top or "token_id" in signs.message)
    )


VENDOR = Vendor(
    slug="together",
    title="Together",
    layer=VendorLayer.MAKER,
    bases=(*CHAT, "provider-error"),
    recognises=recognises,
    hosts=("together.ai", "together.xyz"),
    top_fields={"prompt": "the prompt, where it was asked for", "metadata": "of the deployment"},
    choice_fields={
        "seed": "the seed that was used",
        "text": "the piece of text, beside the delta that says the same",
        "toolcalls": "calls in an older shape",
    },
    message_fields={"token_id": "number of the token that this piece is"},
    finish_reasons={"eos": "the model ended its text"},
    objects=frozenset({"text.completion"}),
)
