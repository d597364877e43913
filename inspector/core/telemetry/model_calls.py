"""Which spans tell of a model's answer, by the conventions that mark them."""

from inspector.core.telemetry.span_record import SpanRecord

COMPLETIONS = frozenset({"chat", "completion", "generate_content", "responses", "text_completion"})
"""Values of ``gen_ai.operation.name``, and of ``llm.request.type`` of OpenLLMetry."""
CALL_SIGNS = ("gen_ai.request.model", "gen_ai.response.model", "gen_ai.response.id")
SYSTEMS = ("gen_ai.provider.name", "gen_ai.system")


def why_no_model_call(record: SpanRecord) -> str | None:
    """In a few words why a span tells of no completion; None for one that does. A span of a tool,
    an agent or an embedding names its kind; a span without any of these names is no GenAI span.
    """
    operation = record.text("gen_ai.operation.name")
    if operation is not None:
        return None if operation in COMPLETIONS else f"the operation {operation[:40]!r}"
    kind = record.text("openinference.span.kind")
    if kind is not None:
        return None if kind == "LLM" else f"a span of the kind {kind[:40]!r}"
    asked = record.text("llm.request.type")
    if asked is not None:
        return None if asked in COMPLETIONS else f"a request of the type {asked[:40]!r}"
    # Older instrumentations say neither; they name the system and its model.
    if record.text(*SYSTEMS) and record.text(*CALL_SIGNS):
        return None
    return "no GenAI span"
