"""SiliconFlow: told by host and header; its bodies bear no sign of their own."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="siliconflow",
    title="SiliconFlow",
    layer=Layer.MAKER,
    hosts=("siliconflow.cn", "siliconflow.com"),
    headers=("x-siliconcloud-trace-id",),
)
