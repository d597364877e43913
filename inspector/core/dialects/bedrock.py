"""Amazon Bedrock: its ids of Anthropic messages say so, everything else stands in headers."""

from inspector.core.dialects.vendor import CHAT, Clues, Layer, Vendor


def recognises(clues: Clues) -> bool:
    return clues.id.startswith("msg_bdrk_") or "amazon-bedrock-invocationMetrics" in clues.signs.top


VENDOR = Vendor(
    slug="bedrock",
    title="Amazon Bedrock",
    layer=Layer.CLOUD,
    bases=(*CHAT, "anthropic"),
    recognises=recognises,
    hosts=("amazonaws.com", "api.aws"),
    headers=("x-amzn-bedrock-",),
    top_fields={
        "amazon-bedrock-invocationMetrics": "token counts and latency of the invocation",
        "amazon-bedrock-guardrailAction": "what the guardrail did",
    },
)
