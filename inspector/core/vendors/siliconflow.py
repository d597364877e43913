"""SiliconFlow: recognised by host and header; its bodies have no sign of their own."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="siliconflow",
    title="SiliconFlow",
    layer=VendorLayer.MAKER,
    hosts=("siliconflow.cn", "siliconflow.com"),
    headers=("x-siliconcloud-trace-id",),
)
