"""Alibaba's DashScope: its ids are UUIDs of which the third group begins with a 9."""

import re

from inspector.core.dialects.vendor import Clues, Layer, Vendor

_ID = re.compile(r"chatcmpl-[0-9a-f]{8}-[0-9a-f]{4}-9[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def recognises(clues: Clues) -> bool:
    return _ID.fullmatch(clues.id) is not None


VENDOR = Vendor(
    slug="alibaba",
    title="Alibaba Cloud Model Studio",
    layer=Layer.MAKER,
    recognises=recognises,
    hosts=("aliyuncs.com",),
    headers=("x-dashscope-",),
)
