"""llama.cpp's server: timings, and its build number as fingerprint."""

import re

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_BUILD = re.compile(r"b\d+-[0-9a-f]{6,}")


def recognises(clues: VendorSignals) -> bool:
    added = {"timings", "__verbose"} & clues.signs.top
    return bool(added) or _BUILD.fullmatch(clues.fingerprint) is not None


VENDOR = Vendor(
    slug="llamacpp",
    title="llama.cpp",
    layer=VendorLayer.ENGINE,
    recognises=recognises,
    top_fields={
        "timings": "tokens, times in ms and speeds of prompt and answer",
        "__verbose": "everything that the server knows of the request",
        "prompt_progress": "how much of the prompt is read",
    },
)
