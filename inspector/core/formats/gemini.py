"""Gemini's GenerateContentResponse (AI Studio and Vertex): whole, in events, or as one list.

Every chunk is a part of the answer with its shape. Text goes on in the next chunk; a call comes
whole. The last usage holds. Nothing marks the end but a finish reason, which may be a number.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind, list_or_empty
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import Table, under
from inspector.core.formats.snake_case import counts_in_both_cases, in_both_cases, snake
from inspector.core.formats.usage_table import CountSource, ListItem, UsageTable, at_first, sum_of
from inspector.core.json import Json

KINDS = {
    "functionCall": BlockKind.TOOL_CALL,
    "executableCode": BlockKind.HOSTED,
    "codeExecutionResult": BlockKind.HOSTED,
    "toolCall": BlockKind.HOSTED,
    "toolResponse": BlockKind.HOSTED,
    "inlineData": BlockKind.IMAGE,
    "fileData": BlockKind.IMAGE,
    "text": BlockKind.TEXT,
}
PART: Table = {
    "": effects.BlockPart(
        kinds={**KINDS, **{snake(name): kind for name, kind in KINDS.items()}},
        thought="thought",
        media=("inlineData", "inline_data"),
    ),
    "/text": effects.PartText(),
    "/functionCall": effects.PartialCall(goes_on="willContinue", pieces="partialArgs"),
    "/functionCall/id": effects.CallId(),
    "/functionCall/name": effects.BlockName(),
    "/functionCall/args": effects.BlockArguments(is_object=True),
    "/functionCall/partialArgs": effects.Key(),
    "/functionCall/willContinue": effects.Key(),
    "/functionCall/?": effects.BlockField(),
    "/?": effects.BlockField(),
}
# Beyond these the numbers of AI Studio and of Vertex AI mean different reasons.
FINISH_NUMBERS = {1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION", 5: "OTHER"}
CANDIDATE_FIELDS = (
    "avgLogprobs",
    "finishMessage",
    "groundingAttributions",
    "groundingMetadata",
    "safetyRatings",
    "tokenCount",
    "urlContextMetadata",
)
BLOCKED = (("promptFeedback", "blockReason"), ("prompt_feedback", "block_reason"))
BLOCK_NUMBERS = {1: "SAFETY", 2: "OTHER", 3: "BLOCKLIST", 4: "PROHIBITED_CONTENT"}
ANSWER: Table = {
    "": effects.PartialAnswer(),
    "/responseId": effects.IdentityField(),
    "/modelVersion": effects.IdentityField(),
    "/createTime": effects.ChunkTime(),
    "/candidates/*": effects.Candidate(index="index"),
    "/candidates/*/content": effects.BlockObject(),
    "/candidates/*/content/role": effects.MessageRole(),
    "/candidates/*/content/parts": effects.BlockList(),
    **under("/candidates/*/content/parts/*", PART),
    "/candidates/*/content/?": effects.BlockField(),
    "/candidates/*/finishReason": effects.FinishReason(numbers=FINISH_NUMBERS),
    "/candidates/*/logprobsResult": effects.CandidateLogprobs(),
    "/candidates/*/citationMetadata": effects.CandidateField(
        joined=("citations", "citationSources")
    ),
    **{f"/candidates/*/{name}": effects.CandidateField() for name in CANDIDATE_FIELDS},
    "/candidates/*/?": effects.CandidateField(),
    "/usageMetadata": effects.UsageCounts(),
    "/usageMetadata/serviceTier": effects.TierField(),
    "/usageMetadata/trafficType": effects.TierField(),
    "/error": effects.ErrorObject(),
    "/?": effects.AnswerField(),
}
WRAPPED = "response"
"""Member with the answer where a batch or a code assistant passes it on."""
TABLE = in_both_cases({**ANSWER, **under(f"/{WRAPPED}", ANSWER)})
SIGNS = frozenset({"candidates", "promptFeedback", "usageMetadata"})
FIELDS = SIGNS | {"responseId", "modelVersion", "createTime", "error", "modelStatus"}
# Vertex AI's older clients write the numbers of the protocol in place of the names.
TEXT, IMAGE, VIDEO, AUDIO, DOCUMENT = (
    ListItem("modality", (name, number))
    for number, name in enumerate(("TEXT", "IMAGE", "VIDEO", "AUDIO", "DOCUMENT"), 1)
)


def _sum_in(lists: tuple[str, ...], *modalities: ListItem) -> CountSource:
    """Return the tokens of some modalities in some lists, as far as they were sent."""
    first, *added = [(name, item, "tokenCount") for name in lists for item in modalities]
    return sum_of(first, *added, is_first_needed=False)


IN_PROMPT = ("promptTokensDetails", "toolUsePromptTokensDetails")

IN_COMPLETION = ("candidatesTokensDetails",)

IN_CACHE = ("cacheTokensDetails",)

USAGE = counts_in_both_cases(
    UsageTable(
        counts={
            "prompt_tokens": sum_of(("promptTokenCount",), ("toolUsePromptTokenCount",)),
            "completion_tokens": sum_of(
                ("candidatesTokenCount",), ("thoughtsTokenCount",), is_first_needed=False
            ),
            "total_tokens": at_first(("totalTokenCount",)),
            "cached_tokens": at_first(("cachedContentTokenCount",)),
            "reasoning_tokens": at_first(("thoughtsTokenCount",)),
            "prompt_text_tokens": _sum_in(IN_PROMPT, TEXT),
            # Pages of a document are billed as images.
            "prompt_image_tokens": _sum_in(IN_PROMPT, IMAGE, DOCUMENT),
            "prompt_audio_tokens": _sum_in(IN_PROMPT, AUDIO),
            "prompt_video_tokens": _sum_in(IN_PROMPT, VIDEO),
            "cached_image_tokens": _sum_in(IN_CACHE, IMAGE, DOCUMENT),
            "cached_audio_tokens": _sum_in(IN_CACHE, AUDIO),
            "completion_text_tokens": _sum_in(IN_COMPLETION, TEXT),
            "completion_image_tokens": _sum_in(IN_COMPLETION, IMAGE, DOCUMENT),
            "completion_audio_tokens": _sum_in(IN_COMPLETION, AUDIO),
            "completion_video_tokens": _sum_in(IN_COMPLETION, VIDEO),
        },
        beside=frozenset({"serviceTier", "trafficType"}),
    )
)
"""Gemini: ``usageMetadata`` of the response."""


def begins(value: Mapping[str, Json]) -> bool:
    wrapped = value.get(WRAPPED)
    answer = wrapped if isinstance(wrapped, dict) and "type" not in value else value
    return "choices" not in value and not SIGNS.isdisjoint(answer)


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return bool(SIGNS & signs.top)


def closing_of(signs: FieldsSeen, top: Mapping[str, Json]) -> str | None:
    """Return a finish reason on the last candidates, or a prompt blocked before any came."""
    candidates = top.get("candidates")
    held = candidates.values() if isinstance(candidates, dict) else list_or_empty(candidates)
    name, member = next((one for one in BLOCKED if top.get(one[0]) is not None), BLOCKED[0])
    feedback = top.get(name)
    if not candidates or (isinstance(feedback, dict) and feedback.get(member)):
        return name if feedback is not None else None
    finished = (
        one.get("finishReason") or one.get("finish_reason") for one in held if isinstance(one, dict)
    )
    is_finished = any(finished)
    return "" if is_finished else None


DIALECT = Dialect(
    slug="gemini",
    title="Gemini response",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    object="gemini.response",
    streams_as_list=True,
    end_mark=EndMark.CLOSING_OBJECT,
    closing="a finishReason",
    closing_of=closing_of,
    identity={"id": "responseId", "model": "modelVersion", "created": "createTime"},
    role="model",
    finish_reasons={
        "STOP": FinishMeaning.COMPLETE,
        "MAX_TOKENS": FinishMeaning.LENGTH,
        "SAFETY": FinishMeaning.FILTERED,
        "RECITATION": FinishMeaning.FILTERED,
        "BLOCKLIST": FinishMeaning.FILTERED,
        "PROHIBITED_CONTENT": FinishMeaning.FILTERED,
        "SPII": FinishMeaning.FILTERED,
        "IMAGE_SAFETY": FinishMeaning.FILTERED,
        "IMAGE_PROHIBITED_CONTENT": FinishMeaning.FILTERED,
        "IMAGE_RECITATION": FinishMeaning.FILTERED,
        "MODEL_ARMOR": FinishMeaning.FILTERED,
        "MALFORMED_FUNCTION_CALL": FinishMeaning.UNUSABLE_CALL,
        "UNEXPECTED_TOOL_CALL": FinishMeaning.UNUSABLE_CALL,
        "LANGUAGE": FinishMeaning.OTHER,
        "OTHER": FinishMeaning.OTHER,
        "TOO_MANY_TOOL_CALLS": FinishMeaning.OTHER,
        "IMAGE_OTHER": FinishMeaning.OTHER,
        "NO_IMAGE": FinishMeaning.OTHER,
    },
    wrapper=f"/{WRAPPED}",
    finish_numbers=FINISH_NUMBERS,
    block_reason=BLOCKED,
    block_reasons=BLOCK_NUMBERS,
    top_fields=FIELDS | set(map(snake, FIELDS)),
    choice_fields=frozenset({"finish_reason", "index", "logprobs"}),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
