"""Good answers of the formats that have tables of their own, and how their objects are framed."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

ANTHROPIC_EVENTS = (
    b'{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"parcel-1","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}',
    b'{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}',
    b'{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Two words "}}',
    b'{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"will do."}}',
    b'{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}',
    b'{"type":"content_block_stop","index":0}',
    b'{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}',
    b'{"type":"ping"}',
    b'{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Well "}}',
    '{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"received \N{PACKAGE}"}}'.encode(),
    b'{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"a"}}}',
    b'{"type":"content_block_stop","index":1}',
    b'{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"send","input":{}}}',
    b'{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"to\\":"}}',
    b'{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\\"Bern\\"}"}}',
    b'{"type":"content_block_stop","index":2}',
    b'{"type":"content_block_start","index":3,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"http://a.example"}]}}',
    b'{"type":"content_block_stop","index":3}',
    b'{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":12}}',
    b'{"type":"message_stop"}',
)  # fmt: skip
ANTHROPIC_WHOLE = b'{"id":"msg_1","type":"message","role":"assistant","model":"parcel-1","content":[{"type":"thinking","thinking":"Two words.","signature":"c2ln"},{"type":"text","text":"Well received","citations":[{"type":"char_location","cited_text":"a"}]},{"type":"tool_use","id":"toolu_1","name":"send","input":{"to":"Bern"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":12}}'  # fmt: skip

RESPONSES_EVENTS = (
    b'{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"parcel-1","output":[],"usage":null}}',
    b'{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}',
    b'{"type":"response.reasoning_summary_part.added","sequence_number":2,"output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}',
    b'{"type":"response.reasoning_summary_text.delta","sequence_number":3,"output_index":0,"summary_index":0,"delta":"Two "}',
    b'{"type":"response.reasoning_summary_text.delta","sequence_number":4,"output_index":0,"summary_index":0,"delta":"words"}',
    b'{"type":"response.reasoning_summary_text.done","sequence_number":5,"output_index":0,"summary_index":0,"text":"Two words"}',
    b'{"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Two words"}]}}',
    b'{"type":"response.output_item.added","sequence_number":7,"output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[]}}',
    b'{"type":"response.content_part.added","sequence_number":8,"output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}',
    b'{"type":"response.output_text.delta","sequence_number":9,"output_index":1,"content_index":0,"delta":"Well ","obfuscation":"x","logprobs":[{"token":"Well ","logprob":-0.1}]}',
    b'{"type":"response.output_text.delta","sequence_number":10,"output_index":1,"content_index":0,"delta":"received","obfuscation":"xy"}',
    b'{"type":"response.output_text.annotation.added","sequence_number":11,"output_index":1,"content_index":0,"annotation_index":0,"annotation":{"type":"url_citation","url":"http://a.example"}}',
    b'{"type":"response.output_text.done","sequence_number":12,"output_index":1,"content_index":0,"text":"Well received"}',
    b'{"type":"response.content_part.done","sequence_number":13,"output_index":1,"content_index":0,"part":{"type":"output_text","text":"Well received","annotations":[]}}',
    b'{"type":"response.output_item.done","sequence_number":14,"output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Well received"}]}}',
    b'{"type":"response.output_item.added","sequence_number":15,"output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"send","arguments":""}}',
    b'{"type":"response.function_call_arguments.delta","sequence_number":16,"output_index":2,"delta":"{\\"to\\":"}',
    b'{"type":"response.function_call_arguments.delta","sequence_number":17,"output_index":2,"delta":"1}"}',
    b'{"type":"response.function_call_arguments.done","sequence_number":18,"output_index":2,"arguments":"{\\"to\\":1}"}',
    b'{"type":"response.output_item.done","sequence_number":19,"output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"send","arguments":"{\\"to\\":1}"}}',
    b'{"type":"response.completed","sequence_number":20,"response":{"id":"resp_1","object":"response","status":"completed","model":"parcel-1","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Two words"}]},{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Well received"}]},{"id":"fc_1","type":"function_call","call_id":"call_1","name":"send","arguments":"{\\"to\\":1}"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}}',
)  # fmt: skip
RESPONSES_WHOLE = b'{"id":"resp_1","object":"response","status":"completed","model":"parcel-1","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Two words"}]},{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Well received","annotations":[],"logprobs":[]},{"type":"refusal","refusal":"No."}]},{"id":"fc_1","type":"function_call","call_id":"call_1","name":"send","arguments":"{\\"to\\":1}"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}'  # fmt: skip

GEMINI_CHUNKS = (
    b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Two words","thought":true}]},"index":0}],"responseId":"r","modelVersion":"parcel-1","usageMetadata":{"promptTokenCount":3}}',
    b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Well "}]},"index":0}],"responseId":"r","modelVersion":"parcel-1"}',
    '{"candidates":[{"content":{"role":"model","parts":[{"text":"received \N{PACKAGE}"}]},"index":0}],"responseId":"r","modelVersion":"parcel-1"}'.encode(),
    b'{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c","name":"send","args":{"to":"Bern"}},"thoughtSignature":"c2ln"}]},"index":0}],"responseId":"r","modelVersion":"parcel-1"}',
    b'{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7},"responseId":"r","modelVersion":"parcel-1"}',
)  # fmt: skip
GEMINI_WHOLE = b'{"candidates":[{"content":{"role":"model","parts":[{"text":"Two words","thought":true},{"text":"Well received"},{"functionCall":{"name":"send","args":{"to":"Bern"}}},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7},"responseId":"r","modelVersion":"parcel-1"}'  # fmt: skip

OLLAMA_LINES = (
    b'{"model":"parcel-1","created_at":"2026-11-20T14:02:19Z","message":{"role":"assistant","content":"","thinking":"Two words"},"done":false}',
    b'{"model":"parcel-1","created_at":"2026-11-20T14:02:20Z","message":{"role":"assistant","content":"Well "},"done":false}',
    b'{"model":"parcel-1","created_at":"2026-11-20T14:02:21Z","message":{"role":"assistant","content":"received"},"done":false}',
    b'{"model":"parcel-1","created_at":"2026-11-20T14:02:22Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"send","arguments":{"to":"Bern"}}}]},"done":false}',
    b'{"model":"parcel-1","created_at":"2026-11-20T14:02:23Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":4,"load_duration":1,"prompt_eval_count":3,"prompt_eval_duration":1,"eval_count":5,"eval_duration":2}',
)  # fmt: skip
OLLAMA_WHOLE = b'{"model":"parcel-1","created_at":"2026-11-20T14:02:23Z","message":{"role":"assistant","content":"Well received","thinking":"Two words","tool_calls":[{"function":{"name":"send","arguments":{"to":"Bern"}}}]},"done":true,"done_reason":"stop","total_duration":4,"prompt_eval_count":3,"eval_count":5}'  # fmt: skip

Frame = Callable[[Iterable[bytes]], bytes]


def as_events(objects: Iterable[bytes]) -> bytes:
    return b"".join(b"data: %s\n\n" % one for one in objects)


def as_array(objects: Iterable[bytes]) -> bytes:
    return b"[" + b",\r\n".join(objects) + b"]"


def as_lines(objects: Iterable[bytes]) -> bytes:
    return b"".join(one + b"\n" for one in objects)


def as_document(objects: Iterable[bytes]) -> bytes:
    return b"".join(objects)


class Native(NamedTuple):
    """An answer of a format, in objects and with the framing in which they are sent."""

    name: str
    slug: str
    objects: tuple[bytes, ...]
    frame: Frame

    @property
    def body(self) -> bytes:
        return self.frame(self.objects)

    @property
    def is_stream(self) -> bool:
        return self.frame is not as_document


NATIVES = (
    Native("anthropic whole", "anthropic", (ANTHROPIC_WHOLE,), as_document),
    Native("anthropic events", "anthropic", ANTHROPIC_EVENTS, as_events),
    Native("responses whole", "openai-responses", (RESPONSES_WHOLE,), as_document),
    Native("responses events", "openai-responses", RESPONSES_EVENTS, as_events),
    Native("gemini whole", "gemini", (GEMINI_WHOLE,), as_document),
    Native("gemini events", "gemini", GEMINI_CHUNKS, as_events),
    Native("gemini array", "gemini", GEMINI_CHUNKS, as_array),
    Native("ollama whole", "ollama", (OLLAMA_WHOLE,), as_document),
    Native("ollama lines", "ollama", OLLAMA_LINES, as_lines),
)
