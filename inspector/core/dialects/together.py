"""Together: the seed of each choice, the prompt beside the choices, token ids in deltas."""

from inspector.core.dialects.vendor import Clues, Layer, Vendor


def recognises(clues: Clues) -> bool:
    signs = clues.signs
    return "text.completion" in signs.objects or (
        "seed" in signs.choice and ("prompt" in signs.top or "token_id" in signs.message)
    )


VENDOR = Vendor(
    slug="together",
    title="Together",
    layer=Layer.MAKER,
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
