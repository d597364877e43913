"""NVIDIA's hosted models: told by headers and host."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="nvidia",
    title="NVIDIA",
    layer=Layer.MAKER,
    hosts=("nvidia.com",),
    headers=("nvcf-",),
)
