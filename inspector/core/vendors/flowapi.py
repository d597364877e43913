"""FlowAPI (FlowAPI's reference): one envelope for many upstreams, without a sign of its own."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="flowapi",
    title="FlowAPI",
    layer=VendorLayer.GATEWAY,
    hosts=("flowapi.net",),
)
