"""Z.ai: ids that begin with the time of the request."""

import re

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"20\d\d[01]\d[0-3]\d[0-2]\d[0-5]\d{3}[0-9a-f]{14,18}")


def recognises(clues: VendorSignals) -> bool:
    return _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="zai",
    title="Z.ai",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("z.ai", "bigmodel.cn"),
    top_fields={"request_id": "the id that the request gave, or the answer's own"},
    message_fields={"audio": "the spoken answer"},
    finish_reasons={
        "sensitive": "the content filter intervened",
        "network_error": "the model failed",
        "model_context_window_exceeded": "the model's own length limit",
    },
)
