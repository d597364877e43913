"""Names that telemetry has of providers, where they are not ours: ``gen_ai.provider.name``, and
``gen_ai.system`` before it.
"""

from collections.abc import Mapping

TOLD_NAMES: Mapping[str, str] = {
    "aws": "bedrock",
    "aws.bedrock": "bedrock",
    "aws_bedrock": "bedrock",
    "az.ai.inference": "azure",
    "az.ai.openai": "azure",
    "azure.ai.inference": "azure",
    "azure.ai.openai": "azure",
    "gcp.gemini": "gemini",
    "gcp.gen_ai": "gemini",
    "gcp.vertex_ai": "vertexai",
    "google": "gemini",
    "mistral_ai": "mistral",
    "mistralai": "mistral",
    "vertex_ai": "vertexai",
    "x_ai": "xai",
}
STATED_NAMES: Mapping[str, str] = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertexai": "gcp.vertex_ai",
    "xai": "x_ai",
}
"""The names that the current convention has for vendors, where they are not ours."""
