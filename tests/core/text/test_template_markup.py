"""Markup of a model's template is found by its shape, and never where an answer speaks about it."""

import pytest

from inspector.core.text.template_markup import MarkupKind, markup_in_arguments, template_markup

CALLS = (
    '<tool_call>\n{"name": "look", "arguments": {"q": "tide"}}\n</tool_call>',
    "<tool_call>\n<function=look>\n<parameter=q>\ntide\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>look\n<arg_key>q</arg_key>\n<arg_value>tide</arg_value>\n</tool_call>",
    '<function=look>{"q": "tide"}</function>',
    '<function_calls>\n<invoke name="look">\n<parameter name="q">tide</parameter></invoke>',
    '<invoke name="look">\n<parameter name="q">tide</parameter>\n</invoke>',
    '<minimax:tool_call>\n<invoke name="look">\n<parameter name="q">tide</parameter></invoke>',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="look">',
    '[TOOL_CALLS][{"name": "look", "arguments": {"q": "tide"}}]',
    '[TOOL_CALLS]look[ARGS]{"q": "tide"}',
    '[TOOL_CALLS]look[CALL_ID]a1[ARGS]{"q": "tide"}',
    '<|tool_call|>[{"name": "look"}]',
    '<|python_tag|>{"name": "look", "parameters": {"q": "tide"}}',
    '<|python_tag|>look.call(q="tide")',
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look",
    "<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|call|>",
    "<tool_call>look</tool_call>",
    '<|open|>toolscall tool="look" index="1"<|sep|><|close|>call<|sep|>',
    "<tool_call>\n{'name': 'look', 'arguments': {'q': 'tide'}}\n</tool_call>",
    '<tool_call>[{"name": "look", "arguments": {}}]',
    '<tool_calls>\n<tool_call>look\n```json\n{"q": "tide"}\n```</tool_call>\n</tool_calls>',
    '<tool_calls>\n{"name": "look", "arguments": {"q": "tide"}}\n</tool_calls>',
    '<TOOLCALL>[{"name": "look", "arguments": {"q": "tide"}}]</TOOLCALL>',
    '<function_calls>\nlook(q="tide")\n</function_calls>',
    '<tool_code>\nprint(look(q="tide"))\n</tool_code>',
    "<start_function_call>call:look{q:<escape>tide<escape>}<end_function_call>",
    '<|tool_call>call:look{q:<|"|>tide<|"|>}<tool_call|>',
    '<|tool_call_start|>[look(q="tide")]<|tool_call_end|>',
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "look"}]<|END_ACTION|>',
    '<|action_start|><|plugin|>\n{"name": "look", "parameters": {}}<|action_end|>',
    '<|function_call|>{"name": "look", "arguments": {}}',
    '<｜｜DSML｜｜tool_calls>\n<｜｜DSML｜｜invoke name="look">',
    '<‖DSML‖tool_calls>\n<‖DSML‖invoke name="look">',
    "<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>look",
    "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>look",
)
BARE = (
    '{"name": "look", "arguments": {"q": "tide"}}',
    '\n[{"name": "look_up", "parameters": {}}, {"name": "go", "parameters": {"to": {"x": 1}}}]\n',
    '{"name": "lookUp", "parameters": {"q": "tide"}}',
    '{"name": "sea.look", "parameters": {}}',
    '```json\n{"name": "look", "arguments": {"q": "tide"}}\n```',
    '{"type": "function", "name": "look", "parameters": {"q": "tide"}}',
    '```tool_code\nlook(q="tide")\n```',
    'functools[{"name": "look", "arguments": {"q": "tide"}}]',
    '[look(q="tide"), look(q="moon")]',
    "[look()]",
    '{"tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}}]}',
    '{"name": "look", "arguments": "{\\"q\\": \\"tide\\"}"}',
    '{"tool": "look", "arguments": {"q": "tide"}}',
    '{"function": "look", "parameters": {"q": "tide"}}',
)
OPEN = (
    '{"name": "Basel", "parameters": {"people": 178000}}',
    '{"name": "look", "parameters": {"q": "tide"}}',
    '```json\n[{"name": "NYC", "parameters": {}}]\n```',
)
TURNS = (
    "<|channel|>analysis<|message|>Say four.<|end|><|start|>assistant",
    "<|start|>assistant<|channel|>final<|message|>Four.",
    "Four.<|im_end|>",
    "Four.<|eot_id|><|start_header_id|>user",
    "Four.\n<｜end▁of▁sentence｜>",
    "Four.<end_of_turn>",
    "Four</s>",
    "Four.</s></s>\n",
    "Four.<eos>",
    "Four.<|END_OF_TURN_TOKEN|>",
    "Four.<|eot|>",
    "Four. <|im_end|>",
    "It is 4 </s>",
    "Four! <|eot_id|> <|eot_id|>",
    "<|im_end|>",
    " </s>",
    "It is four </s>",
    "The tokens are counted. It is four <|im_end|>",
    "Four boats\n\nand a cat <|endoftext|>",
    "<｜begin▁of▁sentence｜>Four.",
    "<bos>Four.",
    "Four.[/INST]",
    "Four.\n</tool_call>",
    "I look.\n\n<｜DSML｜function_calls",
    "analysisSay four.assistantfinalFour.",
)
ABOUT = (
    "Qwen wraps a call in `<tool_call>` and `</tool_call>`; write both.",
    'It is written so:\n```\n<tool_call>\n{"name": "look"}\n</tool_call>\n```\nThen parse it.',
    "Use <tool_call> tags for calls, and <function=...> for names.",
    "The token <|im_end|> ends a turn.",
    "A turn ends with <|im_end|>",
    "Channels are named by <|channel|>, then comes <|message|>.",
    "Mistral begins with [TOOL_CALLS] and a list.",
    "a <| b |> c, and x <tool> y",
    "~~~\n<|im_start|>assistant\n~~~",
    "<p>Was <s>five</s>",
    'Was <s class="old">five</s>',
    "The sign for the end is: </s>",
    "Llama 2 ends a text with </s>",
    "Close the turn by <|im_end|>",
    "The template says at its end <|im_end|>",
    "In ChatML that is <|im_end|>",
    "Das Zeichen heißt am Ende Ö <|im_end|>",
    "A text ends with </s>, a turn with <|im_end|>.",
    '{"name": "Ann Lee", "arguments": {"for": "tides"}}',
    '{"name": "look", "arguments": {}, "reason": "it is high"}',
    '{"name": "look", "arguments": "tide"}',
    'Send {"name": "look", "arguments": {"q": "tide"}} to the server.',
    '{"name": "look", "age": 4, "arguments": {}}',
    "Gemma writes ```tool_code\nlook()\n``` then.",
    "<root><eos>1</eos></root>",
    "<td><|im_end|></td>",
    "Write <tool_call>look</tool_call> there.",
    "A call begins with <｜tool▁calls▁begin｜> and ends with <｜tool▁calls▁end｜> there.",
    "Kimi writes <|tool_call_argument_begin|> before the JSON.",
    "Kimi writes <|tool_calls_section_begin|> and then <|tool_call_begin|> before a name.",
    "The sign <|python_tag|> comes before code.",
    "> <|im_start|>user is how a turn begins",
    "A text of that model begins with <｜begin▁of▁sentence｜> and then speaks.",
    "The marker <｜DSML｜function_calls> begins a call.",
    "A call ends with </tool_call>",
    "Llama 2 puts [INST] and [/INST] around a prompt.",
    '[print("a"), print("b")]',
    "[look(q) for q in range(4)]",
    "[dict(tide=1)]",
    '{"name": "sum", "description": "adds", "parameters": {"type": "object"}}',
    '{"type": "function", "function": {"name": "look", "parameters": {"a": {"b": {}}}}}',
    "analysis is done, and the assistant final word is four.",
    "The analysisof it, then assistantfinal.",
)


@pytest.mark.parametrize("text", CALLS)
@pytest.mark.parametrize("before", ["", "I need that. ", "Wait\n\n"])
def test_a_call_that_was_not_parsed_is_found(text: str, before: str) -> None:
    found = next(template_markup(before + text))
    assert (found.kind, found.start) == (MarkupKind.CALL, len(before))


@pytest.mark.parametrize("text", BARE)
def test_a_call_that_is_all_of_a_text_needs_no_markup(text: str) -> None:
    assert [found.kind for found in template_markup(text)] == [MarkupKind.CALL]


@pytest.mark.parametrize("text", OPEN)
def test_a_plain_word_with_parameters_may_be_a_call_or_an_answer(text: str) -> None:
    assert [found.kind for found in template_markup(text)] == [MarkupKind.OPEN]


@pytest.mark.parametrize("text", TURNS)
def test_signs_of_turns_and_channels_are_found(text: str) -> None:
    assert [found.kind for found in template_markup(text)] == [MarkupKind.TURN]


@pytest.mark.parametrize("text", ABOUT)
def test_an_answer_about_markup_has_none(text: str) -> None:
    assert list(template_markup(text)) == []


@pytest.mark.parametrize(
    "near",
    ["<tool_call>", "<|", "`<|im_end|>", "[TOOL_CALLS]a", '<invoke name="', "```", "<function=a>"],
)
def test_what_nearly_is_markup_is_searched_in_linear_time(near: str) -> None:
    # Backtracking over 400 kB of it would never end.
    list(template_markup(near * (400_000 // len(near))))


@pytest.mark.parametrize(
    ("text", "is_json", "sign"),
    [
        ('{"q<arg_key": "tide</arg_key><arg_value>5"}', True, "<arg_key"),
        ('{"q": "tide<|tool_call_end|>"}', True, "<|tool_call_end|>"),
        ('{"q": "tide</arg_value>\\n"}', True, "</arg_value>"),
        ('{"q": "tide <|tool_call_begin|> functions.look:3 {"q', False, "<|tool_call_begin|>"),
        ('{"q": "tide</parameter', False, "</parameter"),
        ('{"q": "see <|tool_call_end|> there"}', True, None),
        ('{"q": "<p>tide</p>"}', True, None),
        ('{"q": "<p>tide', False, None),
        ('{"xml": "<parameter>1</parameter>"}', True, None),
    ],
)
def test_signs_in_arguments_count_where_they_cannot_be_meant(
    text: str, is_json: bool, sign: str | None
) -> None:
    assert markup_in_arguments(text, is_json=is_json) == sign
