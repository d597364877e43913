"""One answer in each format: reasoning, a text, and a call; 900 of its prompt tokens were cached."""

from __future__ import annotations

CHAT = b"""{"id":"chatcmpl-1","object":"chat.completion","created":1795183339,"model":"parcel-1",
"choices":[{"index":0,"message":{"role":"assistant","content":"I look it up.",
"reasoning_content":"A parcel is asked for.","tool_calls":[{"id":"call_1","type":"function",
"function":{"name":"find_parcel","arguments":"{\\"number\\":17}"}}]},"finish_reason":"tool_calls"}],
"usage":{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,
"prompt_tokens_details":{"cached_tokens":900}}}"""
ANTHROPIC = b"""{"id":"msg_1","type":"message","role":"assistant","model":"parcel-1",
"content":[{"type":"thinking","thinking":"A parcel is asked for."},
{"type":"text","text":"I look it up."},
{"type":"tool_use","id":"toolu_1","name":"find_parcel","input":{"number":17}}],
"stop_reason":"tool_use","stop_sequence":null,
"usage":{"input_tokens":100,"cache_read_input_tokens":900,"output_tokens":50}}"""
RESPONSES = b"""{"id":"resp_1","object":"response","created_at":1795183339,"status":"completed",
"model":"parcel-1","output":[
{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text",
"text":"A parcel is asked for."}]},
{"type":"message","role":"assistant","content":[
{"type":"output_text","text":"I look it up.","annotations":[]}]},
{"type":"function_call","call_id":"call_1","name":"find_parcel","arguments":"{\\"number\\":17}"}],
"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":900},"output_tokens":50,
"total_tokens":1050}}"""
GEMINI = b"""{"candidates":[{"content":{"role":"model","parts":[
{"text":"A parcel is asked for.","thought":true},{"text":"I look it up."},
{"functionCall":{"id":"fc_1","name":"find_parcel","args":{"number":17}}}]},
"finishReason":"STOP","index":0}],
"usageMetadata":{"promptTokenCount":1000,"cachedContentTokenCount":900,"candidatesTokenCount":50,
"totalTokenCount":1050},"modelVersion":"parcel-1","responseId":"r1"}"""
OLLAMA = b"""{"model":"parcel-1","created_at":"2026-11-20T10:02:19Z","message":{"role":"assistant",
"content":"I look it up.","thinking":"A parcel is asked for.","tool_calls":[{"id":"call_1",
"function":{"name":"find_parcel","arguments":{"number":17}}}]},"done_reason":"stop","done":true,
"prompt_eval_count":1000,"eval_count":50}"""
CONVERSE = b"""{"output":{"message":{"role":"assistant","content":[
{"reasoningContent":{"reasoningText":{"text":"A parcel is asked for."}}},{"text":"I look it up."},
{"toolUse":{"toolUseId":"tooluse_1","name":"find_parcel","input":{"number":17}}}]}},
"stopReason":"tool_use","usage":{"inputTokens":100,"cacheReadInputTokens":900,"outputTokens":50,
"totalTokens":1050},"metrics":{"latencyMs":812}}"""
COHERE = b"""{"id":"c14c80c3","message":{"role":"assistant","content":[
{"type":"thinking","thinking":"A parcel is asked for."},{"type":"text","text":"I look it up."}],
"tool_calls":[{"id":"find_parcel_1","type":"function","function":{"name":"find_parcel",
"arguments":"{\\"number\\":17}"}}]},"finish_reason":"TOOL_CALL","usage":{
"tokens":{"input_tokens":1000,"output_tokens":50},"cached_tokens":900}}"""
ANSWERS = {
    "openai-chat": CHAT,
    "anthropic": ANTHROPIC,
    "openai-responses": RESPONSES,
    "gemini": GEMINI,
    "ollama": OLLAMA,
    "bedrock-converse": CONVERSE,
    "cohere": COHERE,
}
