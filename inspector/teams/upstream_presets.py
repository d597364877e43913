"""Providers that every team has as upstreams unless an administrator turns them off.

They have no rows: a new team captures its first call with one variable, and a provider that moves
is corrected in one place. A team's row of the same name changes a preset.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

MAX_RESOURCE_CHARACTERS = 63
"""It is a label of the host's name (RFC 1035, 2.3.4)."""


class ClientStyle(StrEnum):
    """The family of client libraries that speak to an upstream; it decides the lines to paste."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    OTHER = "other"
    """A client library of its own, or none."""


@dataclass(frozen=True, slots=True)
class UpstreamPreset:
    name: str
    title: str
    base_url: str
    client_path: str = "/v1"
    """Path that follows the upstream in a client's base URL."""
    style: ClientStyle = ClientStyle.OPENAI


@dataclass(frozen=True, slots=True)
class UpstreamTemplate:
    """An upstream whose host names what the customer has at the provider."""

    name: str
    title: str
    base_url: str
    """With ``{}`` where the resource's name goes."""
    resource: str
    """Provider's word for what goes there."""
    client_path: str
    style: ClientStyle = ClientStyle.OPENAI


PRESETS = {
    preset.name: preset
    for preset in (
        UpstreamPreset("openai", "OpenAI", "https://api.openai.com"),
        UpstreamPreset(
            "anthropic", "Anthropic", "https://api.anthropic.com", "", ClientStyle.ANTHROPIC
        ),
        UpstreamPreset(
            "gemini",
            "Google Gemini",
            "https://generativelanguage.googleapis.com",
            "",
            ClientStyle.GEMINI,
        ),
        UpstreamPreset("alibaba", "Alibaba", "https://dashscope-intl.aliyuncs.com/compatible-mode"),
        UpstreamPreset("cerebras", "Cerebras", "https://api.cerebras.ai"),
        UpstreamPreset("cohere", "Cohere", "https://api.cohere.com", "", ClientStyle.OTHER),
        UpstreamPreset("deepinfra", "DeepInfra", "https://api.deepinfra.com", "/v1/openai"),
        UpstreamPreset("deepseek", "DeepSeek", "https://api.deepseek.com"),
        UpstreamPreset("fireworks", "Fireworks", "https://api.fireworks.ai/inference"),
        UpstreamPreset("groq", "Groq", "https://api.groq.com", "/openai/v1"),
        UpstreamPreset("huggingface", "Hugging Face", "https://router.huggingface.co"),
        UpstreamPreset("mistral", "Mistral", "https://api.mistral.ai"),
        UpstreamPreset("moonshot", "Moonshot", "https://api.moonshot.ai"),
        UpstreamPreset("nvidia", "NVIDIA", "https://integrate.api.nvidia.com"),
        UpstreamPreset("openrouter", "OpenRouter", "https://openrouter.ai/api"),
        UpstreamPreset("perplexity", "Perplexity", "https://api.perplexity.ai", ""),
        UpstreamPreset("together", "Together", "https://api.together.xyz"),
        UpstreamPreset("vercel", "Vercel AI Gateway", "https://ai-gateway.vercel.sh"),
        UpstreamPreset("workflowai", "WorkflowAI", "https://run.workflowai.com"),
        UpstreamPreset("xai", "xAI", "https://api.x.ai"),
        UpstreamPreset("zai", "Z.ai", "https://api.z.ai/api/paas", "/v4"),
    )
}
TEMPLATES = {
    template.name: template
    for template in (
        UpstreamTemplate(
            "azure", "Azure OpenAI", "https://{}.openai.azure.com", "resource", "/openai/v1"
        ),
        UpstreamTemplate(
            "bedrock",
            "Amazon Bedrock",
            "https://bedrock-runtime.{}.amazonaws.com",
            "region",
            "/openai/v1",
        ),
        UpstreamTemplate(
            "vertex",
            "Google Vertex AI",
            "https://{}-aiplatform.googleapis.com",
            "region",
            "",
            ClientStyle.OTHER,
        ),
    )
}
# As in "my-resource-2".
_RESOURCE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)


def base_url_of_resource(template: UpstreamTemplate, resource: str) -> str | None:
    """Return None if the text is no name of a resource."""
    return template.base_url.format(resource) if _RESOURCE.fullmatch(resource) else None


def template_of(base_url: str) -> UpstreamTemplate | None:
    """Return the template that an address was made by, or could have been."""
    for template in TEMPLATES.values():
        before, _, after = template.base_url.partition("{}")
        if base_url.startswith(before) and base_url.endswith(after):
            return template
    return None
