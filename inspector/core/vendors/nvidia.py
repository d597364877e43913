"""NVIDIA's hosted models: recognised by headers and host."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="nvidia",
    title="NVIDIA",
    layer=VendorLayer.MAKER,
    hosts=("nvidia.com",),
    headers=("nvcf-",),
)
