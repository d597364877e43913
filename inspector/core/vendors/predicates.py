"""Tells vendors by signs of a body that only count together; by slug."""

from collections.abc import Callable, Mapping

from inspector.core.formats.openai_chat import DIALECT as CHAT_DIALECT
from inspector.core.vendors.vendor import RESPONSES, VendorSignals, is_spelt

ERROR = "provider-error"
_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def anthropic(clues: VendorSignals) -> bool:
    """Ids of messages and of old completions, on any route."""
    if clues.dialect == ERROR:
        return "error" in clues.signs.types and {"type", "message"} == clues.error
    return is_spelt(r"(msg|compl)_\d[0-9A-Za-z]*", clues.id)


def azure(clues: VendorSignals) -> bool:
    if clues.dialect == ERROR:
        return "innererror" in clues.error
    if clues.dialect == RESPONSES:
        return "content_filters" in clues.answer and clues.id.startswith("resp_")
    return bool({"prompt_filter_results", "latency_checkpoint"} & clues.signs.top)


def bedrock(clues: VendorSignals) -> bool:
    if clues.dialect == "bedrock-converse":
        return True
    if clues.dialect == RESPONSES:
        return is_spelt("resp_[a-z2-7]{52}", clues.id)
    return clues.id.startswith("msg_bdrk_") or "amazon-bedrock-invocationMetrics" in clues.signs.top


def deepseek(clues: VendorSignals) -> bool:
    """Other vendors send the same counts, but not together with a fingerprint."""
    if clues.dialect == RESPONSES:
        return "content_filters" in clues.answer and is_spelt(_UUID, clues.id)
    counts = {"prompt_cache_hit_tokens", "prompt_cache_miss_tokens"} <= clues.usage
    is_named = clues.fingerprint.startswith("fp_")
    return (counts and is_named) or is_spelt(
        r"fp_[0-9a-z]{10}_prod\w*_kvcache\w*", clues.fingerprint
    )


def groq(clues: VendorSignals) -> bool:
    if clues.dialect == ERROR:
        return "failed_generation" in clues.error
    times = {"queue_time", "prompt_time", "completion_time", "total_time"}
    return bool({"x_groq", "usage_breakdown"} & clues.signs.top) or clues.usage >= times


def huggingface(clues: VendorSignals) -> bool:
    """Its engine, by the fingerprint."""
    if clues.dialect == ERROR:
        return "error_type" in clues.signs.top
    return is_spelt(r"\d+\.\d+\.\d+(-dev\d*)?-sha-[0-9a-f]{7,}", clues.fingerprint)


def mistral(clues: VendorSignals) -> bool:
    """Other vendors have such ids too, so no other sign may be present."""
    signs = clues.signs
    top = {"id", "object", "created", "model", "choices", "usage", "p"}
    if not is_spelt("[0-9a-f]{32}", clues.id) or not signs.top <= top:
        return False
    message = {"role", "content", "tool_calls", "prefix"}
    counts = {"num_cached_tokens", "prompt_audio_seconds", "service_tier"}
    is_plain = signs.choice <= {"finish_reason", "logprobs"} and signs.message <= message
    return is_plain or bool({"p"} & signs.top or counts & clues.usage)


def moonshot(clues: VendorSignals) -> bool:
    has_own = "cached_tokens" in clues.usage or "usage" in clues.signs.choice
    return has_own and is_spelt("chatcmpl-[0-9a-f]{24}|cmpl-[0-9a-f]{32}", clues.id)


def novita(clues: VendorSignals) -> bool:
    top, choice = clues.signs.top, clues.signs.choice
    is_filtered = "content_filter_results" in choice and "prompt_filter_results" not in top
    # Azure sends null or a fingerprint, Novita an empty text.
    is_silent = "system_fingerprint" in top and clues.fingerprint == ""
    return "sla_metrics" in top or (is_filtered and is_silent and "service_tier" not in top)


def openai(clues: VendorSignals) -> bool:
    """Several signs, because most vendors imitate OpenAI's answers."""
    if clues.dialect == RESPONSES:
        # With a version prefix, or the older form that begins with the Unix time, 2024 to 2025.
        is_own = is_spelt("resp_(0[0-9a-f]{49}|6[78][0-9a-f]{46})", clues.id)
        return is_own and "content_filters" not in clues.answer
    signs = clues.signs
    top = CHAT_DIALECT.top_fields | {"obfuscation", "moderation", "metadata"}
    if not is_spelt("(chatcmpl|cmpl)-[0-9A-Za-z]{29}", clues.id) or not signs.top <= top:
        return False
    message = {
        "role", "content", "refusal", "annotations", "tool_calls", "function_call", "audio",
    }  # fmt: skip
    if not signs.choice <= {"finish_reason", "logprobs"} or not signs.message <= message:
        return False
    is_named = is_spelt("fp_[0-9a-z]{10}", clues.fingerprint)
    has_added = "obfuscation" in signs.top or "refusal" in signs.message
    return is_named or has_added or clues.service_tier is not None


def openrouter(clues: VendorSignals) -> bool:
    is_own_id = is_spelt(r"gen-\d{10}-[0-9A-Za-z]{20}", clues.id)
    if "OPENROUTER PROCESSING" in clues.comments:
        return True
    if clues.dialect == ERROR:
        return {"code", "message", "metadata"} <= clues.error
    if clues.dialect == RESPONSES:
        return is_own_id
    is_routed = "native_finish_reason" in clues.signs.choice or is_own_id
    return "provider" in clues.signs.top and is_routed


def perplexity(clues: VendorSignals) -> bool:
    return (
        {"citations", "search_results"} <= clues.signs.top
        or "chat.completion.done" in clues.signs.objects
        or bool({"search_context_size", "cost/request_cost"} & clues.usage)
    )


def snowflake(clues: VendorSignals) -> bool:
    labels = {"id", "system_fingerprint", "service_tier"}
    return (
        labels <= clues.signs.top
        and not (clues.id or clues.fingerprint)
        and clues.service_tier == ""
        and "refusal" in clues.signs.message
    )


def together(clues: VendorSignals) -> bool:
    signs = clues.signs
    # The ray id of the network in front of it, with or without the airport code.
    is_own_id = is_spelt("[0-9a-f]{16}(-[A-Z]{3})?", clues.id)
    if is_own_id and {"prompt", "error"} & signs.top:
        return True
    return "text.completion" in signs.objects or (
        "seed" in signs.choice and ("prompt" in signs.top or "token_id" in signs.message)
    )


def vercel_gateway(clues: VendorSignals) -> bool:
    is_routed = "generationId" in clues.signs.top or "provider_metadata" in clues.signs.message
    return is_routed and is_spelt("gen_[0-9A-HJKMNP-TV-Z]{26}", clues.id)


def vertexai(clues: VendorSignals) -> bool:
    if clues.dialect == "gemini":
        return "createTime" in clues.signs.top or "usageMetadata/trafficType" in clues.usage
    return clues.id.startswith("msg_vrtx_")


def writer(clues: VendorSignals) -> bool:
    own = {"graph_data", "llm_data", "translation_data", "web_search_data"}
    return len(own & clues.signs.message) > 1


def xai(clues: VendorSignals) -> bool:
    """Azure sells the same models, with fingerprints that are not hexadecimal."""
    is_named = is_spelt(_UUID + r"(_[a-z]{2}-[a-z]+-\d)?", clues.id)
    if not is_named or not is_spelt("(fp_[0-9a-f]{10,16})?", clues.fingerprint):
        return False
    own = {"num_sources_used", "cost_in_usd_ticks"} & clues.usage
    older = {"prompt_tokens_details/text_tokens", "prompt_tokens_details/image_tokens"}
    has_region = not is_spelt(_UUID, clues.id)
    return bool(own) or has_region or clues.usage >= older


PREDICATES: Mapping[str, Callable[[VendorSignals], bool]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        anthropic, azure, bedrock, deepseek, groq, huggingface, mistral, moonshot, novita, openai,
        openrouter, perplexity, snowflake, together, vercel_gateway, vertexai, writer, xai,
    )
}  # fmt: skip
