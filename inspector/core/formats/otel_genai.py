"""Answers that OpenTelemetry tells: one span of the GenAI conventions.

What is read here is not the record itself but the answer in it (``core.telemetry``), which several
conventions spell: members of the span as they are, attributes under their names, and messages in
the shape of ``gen_ai.output.messages``, one for each choice. Where no content was recorded a choice
has its finish reason alone.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import Table
from inspector.core.formats.usage_table import UsageTable, at_first
from inspector.core.json import Json

PART = "/messages/*/parts/*"
TABLE: Table = {
    "": effects.PartialAnswer(),
    "/response_id": effects.IdentityField(),
    "/response_model": effects.IdentityField(),
    "/messages/*": effects.Candidate(index="index"),
    "/messages/*/role": effects.MessageRole(),
    "/messages/*/parts": effects.BlockList(),
    PART: effects.BlockItem(
        kinds={
            "text": BlockKind.TEXT,
            "reasoning": BlockKind.REASONING,
            "refusal": BlockKind.REFUSAL,
            "tool_call": BlockKind.TOOL_CALL,
            "server_tool_call": BlockKind.HOSTED,
            "server_tool_call_response": BlockKind.HOSTED,
        },
        other=BlockKind.UNKNOWN,
    ),
    f"{PART}/content": effects.PartText(),
    f"{PART}/id": effects.CallId(),
    f"{PART}/name": effects.BlockName(),
    f"{PART}/arguments": effects.BlockArguments(),
    f"{PART}/?": effects.BlockField(),
    "/messages/*/finish_reason": effects.FinishReason(),
    "/messages/*/?": effects.CandidateField(),
    "/usage": effects.UsageCounts(),
    "/error": effects.ErrorObject(),
    "/?": effects.AnswerField(),
}
SIGNS = names("traceId spanId attributes resource scope")
GENAI, OPENINFERENCE = "gen_ai.usage", "llm.token_count"
USAGE = UsageTable(
    counts={
        "prompt_tokens": at_first(
            (f"{GENAI}.input_tokens",), (f"{GENAI}.prompt_tokens",), (f"{OPENINFERENCE}.prompt",)
        ),
        "completion_tokens": at_first(
            (f"{GENAI}.output_tokens",),
            (f"{GENAI}.completion_tokens",),
            (f"{OPENINFERENCE}.completion",),
        ),
        "total_tokens": at_first(
            (f"{GENAI}.total_tokens",), ("llm.usage.total_tokens",), (f"{OPENINFERENCE}.total",)
        ),
        "cached_tokens": at_first(
            (f"{GENAI}.cache_read.input_tokens",),
            (f"{GENAI}.cache_read_input_tokens",),
            (f"{OPENINFERENCE}.prompt_details.cache_read",),
        ),
        "cache_write_tokens": at_first(
            (f"{GENAI}.cache_creation.input_tokens",),
            (f"{GENAI}.cache_write.input_tokens",),
            (f"{GENAI}.cache_creation_input_tokens",),
            (f"{OPENINFERENCE}.prompt_details.cache_write",),
        ),
        "reasoning_tokens": at_first(
            (f"{GENAI}.reasoning.output_tokens",),
            (f"{GENAI}.reasoning_tokens",),
            (f"{OPENINFERENCE}.completion_details.reasoning",),
        ),
        "prompt_audio_tokens": at_first(
            (f"{GENAI}.audio.input_tokens",), (f"{OPENINFERENCE}.prompt_details.audio",)
        ),
        "completion_audio_tokens": at_first(
            (f"{GENAI}.audio.output_tokens",), (f"{OPENINFERENCE}.completion_details.audio",)
        ),
    },
    is_inclusive=False,
)
"""Attributes under their whole names. The conventions count what was cached inside the prompt;
older instrumentations pass on what the provider counts.
"""


def is_told_answer(value: Mapping[str, Json]) -> bool:
    # In a record attributes are a list: this is what was read out of one.
    return value.keys() >= SIGNS and isinstance(value["attributes"], dict)


def recognises(signs: FieldsSeen) -> bool:
    return signs.top >= SIGNS


DIALECT = Dialect(
    slug="otel-genai",
    title="answer told by OpenTelemetry",
    recognises=recognises,
    is_told=True,
    begins=is_told_answer,
    table=TABLE,
    object="otel.genai.span",
    end_mark=EndMark.NONE,
    identity={"id": "response_id", "model": "response_model"},
    finish_reasons={
        "stop": FinishMeaning.COMPLETE,
        "length": FinishMeaning.LENGTH,
        "content_filter": FinishMeaning.FILTERED,
        "tool_call": FinishMeaning.CALLED,
    },
    top_fields=names(
        """
        traceId spanId parentSpanId traceState flags name kind startTimeUnixNano endTimeUnixNano
        attributes droppedAttributesCount events droppedEventsCount links droppedLinksCount status
        resource scope response_id response_model provider messages usage error
        """
    ),
    choice_fields=names("finish_reason logprobs"),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
