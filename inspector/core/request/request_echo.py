"""An exchange without its request, also where the response repeats it.

What is known to answer is shown, and nothing else: providers repeat prompts, tools and their tokens
under names of their own, and the next one is not known yet.
"""

import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto

import msgspec

from inspector.core.credentials.response_body import cut_like, without_coding
from inspector.core.formats.snake_case import snake
from inspector.core.redaction.body_masking import Member, overwritten_body
from inspector.core.redaction.body_texts import BodySegment
from inspector.core.redaction.json_tokens import JsonFrame, JsonString, has_more_tokens, json_tokens
from inspector.core.redaction.wide_body import wide_text
from inspector.core.request.request_params import parse_request_body
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.event_frames import PRELUDE, begins_frame
from inspector.core.wire.exchange import Exchange, Request


def _names(text: str) -> frozenset[str]:
    """Return names that white space separates, each as dumps in snake case have it, too."""
    names = text.split()
    return frozenset((*names, *map(snake, names)))


ANSWER = _names(
    """
    accepted_prediction_tokens annotation_index applied_edits approval_request_id assistant_id
    audio_tokens avgLogprobs b64_json background billing bytes cacheDetails cachePoint
    cacheReadInputTokens cacheTokensDetails cacheWriteInputTokens cache_creation
    cache_creation_input_tokens cache_read_input_tokens cache_write_1h_tokens
    cache_write_5m_tokens cache_write_tokens cachedContentTokenCount cached_audio_tokens
    cached_image_tokens cached_tokens call_id cancelled_at candidates candidatesTokenCount
    candidatesTokensDetails category channel choice_id choices closed code command command_index
    completed_at completion completion_audio_tokens completion_image_tokens
    completion_text_tokens completion_time completion_token_details completion_tokens
    completion_tokens_details completion_video_tokens container container_id content
    contentBlockDelta contentBlockIndex contentBlockStart contentBlockStop content_block
    content_index context_management cost cost_in_usd_ticks cost_usd createTime created
    created_at custom delta detail details diff done done_reason duration_seconds effort
    encrypted_content ephemeral_1h_input_tokens ephemeral_5m_input_tokens error error_code
    error_message error_type eval_count eval_duration event event_type execution exit_code
    expires_at explanation failed_at failed_generation feedback_token file_id filename filtered
    fingerprint finishMessage finishReason finish_reason finish_reasons finished
    frequency_penalty from function functionCall function_call generate_summary generationId
    generation_id guardContent hate id image image_tokens images incomplete_at
    incomplete_details index inference_geo innererror inputTokens input_tokens
    input_tokens_details is_byok is_error is_finished item item_id iterations language
    last_error latencyMs lines load_duration loc log_id logprob logs matched_stop
    max_completion_tokens max_output_tokens max_tool_calls message messageStart messageStop
    message_id mimeType modality mode model modelStatus modelVersion model_version msg name
    namespace native_finish_reason obfuscation object outcome output outputTokens output_audio
    output_format output_index output_text output_tokens output_tokens_details outputs p
    parallel_tool_calls param part partial_image_b64 partial_image_index partial_json parts
    payer performanceConfig phase presence_penalty processing_status promptFeedback
    promptTokenCount promptTokensDetails prompt_audio_tokens prompt_cache_hit_tokens
    prompt_cache_miss_tokens prompt_cache_retention prompt_eval_count prompt_eval_duration
    prompt_image_tokens prompt_text_tokens prompt_token_details prompt_tokens
    prompt_tokens_details prompt_video_tokens provider quality queries reason reasoning
    reasoningContent reasoningText reasoning_content reasoning_effort reasoning_tokens
    recommended_model redactedContent refusal rejected_prediction_tokens request_counts
    request_id required_action response responseId response_id result results results_url
    retryDelay revised_prompt role routed_experts run_id score search_context_size seed
    self_harm sequence_number server_label server_name server_tool_use serviceTier service_tier
    severity sexual signature size skill_id skills sources speed start started_at status
    status_code status_details stderr stdout stop stopReason stop_details stop_reason
    stop_sequence store summary summary_index system_fingerprint temperature text text_offset
    text_tokens thinking thinking_tokens thought thoughtSignature thought_signature
    thoughtsTokenCount thread_id time title to token tokenCount token_ids token_logprobs tokens
    toolUse toolUseId toolUsePromptTokenCount toolUsePromptTokensDetails tool_call_id tool_calls
    tool_plan tool_use_id top_p totalTokenCount totalTokens total_duration total_tokens trace
    trafficType transcript truncation ttl type url value vector_store_id verbosity version
    version_id violence voice web_search_requests weight_version willContinue x_groq
    """
)
"""Names of members that say what a response answers, or what it is."""
QUOTED = _names(
    """
    action additionalModelResponseFields annotation annotations args arguments audio caller
    citation citationMetadata citations citationsContent codeExecutionResult
    content_filter_result content_filter_results content_filters environment executableCode
    executed_tools functionResponse groundingAttributions groundingMetadata inlineData logprobs
    logprobsResult operation parsed partialArgs reasoning_details safetyRatings search_results
    toolCall toolResponse top_logprobs urlContextMetadata
    """
)
"""Below these every name is the answer's: arguments, citations, tokens."""
FIGURES = _names(
    """
    billed_units cost_details latency_checkpoint meta metrics sla_metrics time_info timings
    tool_usage usage usageMetadata usage_breakdown
    """
)
"""Below these stand counts and times, by whatever name."""
LISTING = frozenset({"data"})
"""Objects and lists of these names are looked into; a text is none of the answer."""
CALLS = frozenset({"content", "content_block", "custom", "item", "output", "toolUse"})
"""Objects of these names, and items of such lists, may be calls: ``input`` is theirs."""
RESULTS = frozenset({"content", "content_block"})
"""The same of results of tools that the provider ran: ``content`` is theirs."""
ECHOED = frozenset({"logprobs", "text"})
"""Where the request asks for it (``echo``), these begin with the prompt."""

# Takes each string whole, values and cut ones, too: none is begun in the midst of another.
_STRING = re.compile(rb'"((?:[^"\\\r\n]++|\\.)*+)"?([ \t\r\n]*+:)?')
# As in 'data: {"id"'.
_BEGINS_OBJECT = re.compile(rb"\s*+(?:data:)?+\s*+[{\[]")
_NO_JSON = re.compile(rb"\s*+(?:data:)?+[\[\s]*+\{\s*+[^\"}\s]")
"""An object whose names are in other quotes or none, such as Python prints. It is read, too."""
_PLAIN = frozenset(name.encode() for name in ANSWER)


class _Part(Enum):
    """The kind of an object or list."""

    ANSWER = auto()
    QUOTED = auto()
    FIGURES = auto()
    WITHHELD = auto()


def without_request(exchange: Exchange) -> Exchange:
    """Return the exchange as its response alone tells it. Members that are not known to answer are
    overwritten, byte for byte; what a model quotes in its answer stays.
    """
    alone = msgspec.structs.replace(exchange, request=None)
    plain = decompressed(alone)
    shown = _shown_of(plain.body, _echoed(exchange.request))
    if shown == plain.body:
        return alone
    reads = tuple(cut_like(plain.reads, shown))
    headers = exchange.headers if plain.body == exchange.body else without_coding(exchange.headers)
    return msgspec.structs.replace(alone, headers=headers, reads=reads)


def _echoed(request: Request | None) -> frozenset[str]:
    body = parse_request_body(request)
    return ECHOED if body is not None and body.get("echo") else frozenset()


def _shown_of(body: bytes, echoed: frozenset[str]) -> bytes:
    if wide_text(body) or begins_frame(body[:PRELUDE]) or _NO_JSON.match(body):
        return _overwritten(body, echoed)
    lines = body.splitlines(keepends=True)
    # A few of a stream's many events hold something else than its answer.
    others = [at for at, line in enumerate(lines) if line.strip() and not _is_plain(line, echoed)]
    if not all(_is_object(lines[at]) for at in others):
        return _overwritten(body, echoed)
    for at in others:
        lines[at] = _overwritten(lines[at], echoed)
    return b"".join(lines)


def _is_plain(line: bytes, echoed: frozenset[str]) -> bool:
    names = {found[1] for found in _STRING.finditer(line) if found[2]}
    if _NO_JSON.match(line):
        return False
    return names <= _PLAIN and not (echoed and names & {name.encode() for name in echoed})


def _is_object(line: bytes) -> bool:
    """Return False for a line in the midst of an object."""
    if _BEGINS_OBJECT.match(line) is None:
        return False
    return all(frame.end >= 0 for frame in json_tokens(line.decode("latin-1")).frames)


def _overwritten(body: bytes, echoed: frozenset[str]) -> bytes:
    # Behind the bound no member is looked for, so that nothing of such a text is shown.
    if has_more_tokens(body) or _NO_JSON.match(body):
        return b"*" * len(body)
    return overwritten_body(body, lambda segment: _Withheld(segment, echoed).members())


class _Withheld:
    """The members of one text that are not known to answer."""

    def __init__(self, segment: BodySegment, echoed: frozenset[str]) -> None:
        self._tokens = segment.tokens
        self._echoed = echoed
        self._parts: dict[int, _Part] = {}
        self._names: Counter[int] = Counter()

    def members(self) -> Iterator[Member]:
        for each in self._tokens.strings:
            if each.frame is None or each.start == each.end:
                continue
            if each.is_name:
                yield from self._name(each, each.frame)
            elif self._withholds(each.frame, each.step):
                yield Member(each.start, each.end)
        for number in self._tokens.numbers:
            # A number alone is a figure, a list of them may be the prompt's tokens.
            if self._part(number.frame) is _Part.WITHHELD:
                yield Member(number.start, number.end, is_number=True)

    def _name(self, name: JsonString, frame: JsonFrame) -> Iterator[Member]:
        if self._part(frame) is _Part.WITHHELD:
            self._names[id(frame)] += 1
            yield Member(name.start, name.end, order=self._names[id(frame)])

    def _withholds(self, frame: JsonFrame, step: str) -> bool:
        part = self._part(frame)
        if part is _Part.QUOTED or frame.is_list:
            return part is _Part.WITHHELD
        return part is _Part.WITHHELD or not self._answers(frame, step)

    def _part(self, frame: JsonFrame) -> _Part:
        if (known := self._parts.get(id(frame))) is None:
            known = self._parts[id(frame)] = self._part_of(frame)
        return known

    def _part_of(self, frame: JsonFrame) -> _Part:
        parent = frame.parent
        if parent is None:
            return _Part.ANSWER
        part = self._part(parent)
        if part is not _Part.ANSWER or parent.is_list:
            return part
        if frame.name in FIGURES:
            return _Part.FIGURES
        if frame.name in QUOTED - self._echoed or self._is_of_call(parent, frame.name):
            return _Part.QUOTED
        is_answer = frame.name in LISTING or self._answers(parent, frame.name)
        return _Part.ANSWER if is_answer else _Part.WITHHELD

    def _answers(self, frame: JsonFrame, step: str) -> bool:
        is_known = step in ANSWER or step in QUOTED
        return (is_known and step not in self._echoed) or self._is_of_call(frame, step)

    def _is_of_call(self, frame: JsonFrame, step: str) -> bool:
        holder = frame.parent if frame.parent is not None and frame.parent.is_list else frame
        if step == "input":
            return holder.name in CALLS or "item_id" in frame.signs
        return step == "content" and holder.name in RESULTS
