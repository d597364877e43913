"""WorkflowAI: a gateway."""

from inspector.core.vendors.vendor import Vendor, VendorLayer

VENDOR = Vendor(
    slug="workflowai",
    title="WorkflowAI",
    layer=VendorLayer.GATEWAY,
    bases=("workflowai",),
    recognises=lambda clues: True,
    hosts=("workflowai.com", "workflowai.dev", "workflowai.ai"),
    breaks={"choice.fewer-than-asked": "it reads n and answers with one choice"},
)
