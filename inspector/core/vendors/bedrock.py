"""Amazon Bedrock: recognised by its own format, and by the ids of messages and of Responses;
everything else stands in headers.
"""

import re

from inspector.core.vendors.vendor import CHAT, RESPONSES, Vendor, VendorLayer, VendorSignals

CONVERSE = "bedrock-converse"
_RESPONSE_ID = re.compile(r"resp_[a-z2-7]{52}")


def recognises(clues: VendorSignals) -> bool:
    if clues.dialect == CONVERSE:
        return True
    if clues.dialect == RESPONSES:
        return _RESPONSE_ID.fullmatch(clues.id) is not None
    return clues.id.startswith("msg_bdrk_") or "amazon-bedrock-invocationMetrics" in clues.signs.top


VENDOR = Vendor(
    slug="bedrock",
    title="Amazon Bedrock",
    layer=VendorLayer.CLOUD,
    bases=(*CHAT, RESPONSES, "anthropic", CONVERSE),
    recognises=recognises,
    hosts=("amazonaws.com", "api.aws"),
    headers=("x-amzn-bedrock-",),
    top_fields={
        "amazon-bedrock-invocationMetrics": "token counts and latency of the invocation",
        "amazon-bedrock-guardrailAction": "what the guardrail did",
    },
)
