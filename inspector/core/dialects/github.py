"""GitHub's models: the bodies are those of Azure, which serves them."""

from inspector.core.dialects.vendor import Layer, Vendor

VENDOR = Vendor(
    slug="github",
    title="GitHub Models",
    layer=Layer.GATEWAY,
    hosts=("models.github.ai", "githubcopilot.com", "models.inference.ai.azure.com"),
)
