"""Alibaba's DashScope: its ids are UUIDs whose third group begins with a 9."""

import re

from inspector.core.vendors.vendor import Vendor, VendorLayer, VendorSignals

_ID = re.compile(r"chatcmpl-[0-9a-f]{8}-[0-9a-f]{4}-9[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def recognises(clues: VendorSignals) -> bool:
    return _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="alibaba",
    title="Alibaba Cloud Model Studio",
    layer=VendorLayer.MAKER,
    recognises=recognises,
    hosts=("aliyuncs.com",),
    headers=("x-dashscope-",),
)
