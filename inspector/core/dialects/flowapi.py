"""FlowAPI (document 003): one envelope for many upstreams, without a sign of its own."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="flowapi",
    title="FlowAPI",
    layer=Layer.GATEWAY,
    hosts=("flowapi.net",),
)
