import pytest

from inspector.core.completion import Choice
from inspector.dashboard.capture.page.locations import element_id_of, panel_of_pointer
from tests.dashboard.capture.samples import analysis, whole

READ = analysis(
    Choice(index=3), Choice(index=7), completion={"choices": [{"index": 7}, {"index": 3}]}
)


def test_pointers_lead_to_the_panel_that_shows_their_value() -> None:
    assert panel_of_pointer("/usage/total_tokens") == "usage"
    assert panel_of_pointer("/choices/0/usage") == "usage"
    assert panel_of_pointer("/choices/0/finish_reason") == "choices"
    assert panel_of_pointer("/choices/0/feedback_token") == "feedback"
    assert panel_of_pointer("/created") == panel_of_pointer(None) == "raw"


@pytest.mark.parametrize(
    "pointer, target",
    [
        ("/choices/0", "choice-7"),
        ("/choices/1/finish_reason", "choice-3"),
        ("/choices/1/message/content", "choice-3"),
        ("/choices/0/message/tool_calls/2/function/arguments", "call-7-2"),
        ("/choices/0/message/tool_calls/12", "call-7-12"),
        ("/choices/0/message/tool_calls", "tool_calls"),
        ("/choices/1/message/function_call/name", "call-3-f"),
        ("/choices/0/logprobs/content/4", "logprobs"),
        ("/choices/9", "choices"),
        ("/choices/x", "choices"),
        ("/choices", "choices"),
        ("/usage", "usage"),
    ],
)
def test_a_pointer_leads_to_the_choice_or_call_that_it_stands_in(pointer: str, target: str) -> None:
    assert element_id_of(READ, pointer) == target


def test_without_an_analysis_a_pointer_leads_to_a_panel() -> None:
    assert element_id_of(None, "/choices/0") == "choices"


MESSAGE = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "They asked for rain.", "signature": "c2ln"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "rain", "input": {"place": "Bergen"}},
        {"type": "text", "text": "One moment."},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
RESPONSE = {
    "object": "response",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Rain."}]},
        {"type": "function_call", "call_id": "call_1", "name": "rain", "arguments": "{}"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Wet.", "annotations": []}],
        },
    ],
    "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
}
CANDIDATES = {
    "candidates": [
        {
            "index": 0,
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Rain is likely."},
                    {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
                    {"functionCall": {"name": "rain", "args": {"place": "Bergen"}}},
                ],
            },
            "finishReason": "STOP",
            "logprobsResult": {"chosenCandidates": []},
        }
    ],
    "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 5},
}
LINE = {
    "model": "small",
    "message": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "rain", "arguments": {"place": "Bergen"}}}],
    },
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 3,
}


@pytest.mark.parametrize(
    "body, pointer, target",
    [
        (MESSAGE, "/content/0/thinking", "block-0-0"),
        (MESSAGE, "/content/2/input", "call-0-0"),
        (MESSAGE, "/content/2", "call-0-0"),
        (MESSAGE, "/content/3/text", "block-0-3"),
        (MESSAGE, "/content", "choice-0"),
        (MESSAGE, "/stop_reason", "choice-0"),
        (MESSAGE, "", "choice-0"),
        (MESSAGE, "/usage/output_tokens", "usage"),
        (MESSAGE, "/id", "raw"),
        (RESPONSE, "/output/1/arguments", "call-0-0"),
        (RESPONSE, "/output/2/content/0/text", "block-0-2"),
        (RESPONSE, "/output/2/content/0/logprobs", "logprobs"),
        (RESPONSE, "/status", "choice-0"),
        (RESPONSE, "/usage/total_tokens", "usage"),
        (CANDIDATES, "/candidates/0/finishReason", "choice-0"),
        (CANDIDATES, "/candidates/0/content/parts/1/executableCode", "block-0-1"),
        (CANDIDATES, "/candidates/0/content/parts/2/functionCall/args", "call-0-0"),
        (CANDIDATES, "/candidates/0/logprobsResult", "logprobs"),
        (CANDIDATES, "/candidates/4", "choices"),
        (CANDIDATES, "/usageMetadata/totalTokenCount", "usage"),
        ({"response": CANDIDATES}, "/response/candidates/0/finishReason", "choice-0"),
        ({"response": CANDIDATES}, "/response/candidates/0/content/parts/2", "call-0-0"),
        (LINE, "/message/tool_calls/0/function/arguments", "call-0-0"),
        (LINE, "/done_reason", "choice-0"),
        (LINE, "/prompt_eval_count", "usage"),
    ],
)
def test_a_pointer_into_a_format_of_blocks_leads_to_the_block_or_call(
    body: object, pointer: str, target: str
) -> None:
    assert element_id_of(whole(body).analysis, pointer) == target


def test_texts_that_are_drawn_as_fields_lead_to_their_choice() -> None:
    body = {**MESSAGE, "content": [{"type": "text", "text": "Wet."}]}
    assert element_id_of(whole(body).analysis, "/content/0/text") == "choice-0"


def test_a_pointer_into_an_event_leads_to_the_panel_of_what_the_event_has() -> None:
    assert panel_of_pointer("/response/usage/output_tokens", "openai-responses") == "usage"
    assert panel_of_pointer("/usage/output_tokens", "anthropic") == "usage"
    assert panel_of_pointer("/message/content/0", "anthropic") == "choices"
    assert panel_of_pointer("/index", "anthropic") == "raw"
