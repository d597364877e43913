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
