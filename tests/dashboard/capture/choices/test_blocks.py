"""The blocks of a message are drawn in the order in which they came."""

import re
from html import unescape
from typing import Any

import msgspec
import pytest
from django.template.loader import render_to_string

from inspector.core.completion import Block, BlockKind, Choice
from inspector.dashboard.capture.choices.blocks import BlockDisplay
from inspector.dashboard.capture.choices.panel import ChoicesDisplay, draw
from inspector.dashboard.capture.page.block_order import is_in_order
from inspector.dashboard.capture.page.capture_view import CaptureView
from tests.dashboard.capture.block_samples import (
    call,
    called,
    choice,
    hosted,
    streamed_blocks,
    text,
    thought,
)
from tests.dashboard.capture.samples import analysis, view
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert

WEATHER = (called("get_weather", '{"city":"Bergen"}'),)


def blocks(shown: CaptureView) -> tuple[BlockDisplay, ...]:
    content = draw(shown).content
    assert isinstance(content, ChoicesDisplay)
    return content.choices[0].blocks


def drawn(*parts: Block) -> tuple[BlockDisplay, ...]:
    return blocks(view(analysis(choice(*parts))))


def html(shown: CaptureView) -> str:
    context = {"view": shown, "row": shown.row, "content": draw(shown).content}
    return render_to_string("dashboard/capture/panels/choices.html", context)


def words(shown: CaptureView) -> str:
    return words_of(html(shown))


def words_of(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())


def html_of(*parts: Block) -> str:
    return html(view(analysis(choice(*parts))))


# -- when blocks are drawn ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("a"),), False),
        ((thought("a"), text("b"), call(), call(1)), False),
        ((Block(kind=BlockKind.REFUSAL, text="no"), text("b")), False),
        ((), False),
        ((text("a"), text("b")), True),
        ((call(), text("b")), True),
        ((text("a"), thought("b")), True),
        ((thought("a"), thought("b")), True),
        ((text("a"), hosted({"type": "web_search_call"})), True),
        ((text("a", citations=({"url": "https://a.example/"},)),), True),
        ((Block(kind=BlockKind.IMAGE, value={}),), True),
        ((Block(kind=BlockKind.REASONING, type="redacted_thinking", value={}), text("a")), True),
        ((Block(kind=BlockKind.REASONING, text="a", value={"signature": "s"}), text("a")), False),
        ((Block(kind=BlockKind.AUDIO, value={}),), True),
        ((Block(kind=BlockKind.TOOL_CALL, type="local_shell_call", value={}),), True),
    ],
)
def test_fields_beside_each_other_are_drawn_where_they_show_the_message(
    parts: tuple[Block, ...], expected: bool
) -> None:
    assert is_in_order(Choice(index=0, blocks=parts)) is expected


def test_audio_of_a_chat_message_has_its_field() -> None:
    audio = Block(kind=BlockKind.AUDIO, type="audio", value={"id": "a1"})
    said = Choice(index=0, blocks=(audio,), extras={"/message/audio": {"id": "a1"}})
    assert not is_in_order(said)


# -- texts and calls -----------------------------------------------------------------------------


def test_texts_around_a_call_stand_in_their_order() -> None:
    said = choice(thought("Hm."), text("Let me look."), call(), text("Rain."), calls=WEATHER)
    assert words(streamed_blocks(said)).endswith(
        "Reasoning 3 characters, 1 chunk, 0.100 s to 0.100 s Hm. Hm. text 1 Copy Let me look. "
        'get_weather {"city":"Bergen"} text 2 Copy Rain.'
    )


def test_each_text_is_traced_in_its_lane_and_copied_alone() -> None:
    page = html(streamed_blocks(choice(text("One. "), call(), text("Two."), calls=WEATHER)))
    assert 'id="text-of-block-0-0" data-exact data-lane="0" data-start="0"' in page
    assert 'id="text-of-block-0-2" data-exact data-lane="2" data-start="0"' in page
    assert 'data-copy="#text-of-block-0-2"' in page
    assert 'aria-label="text 2 of choice 0"' in page
    assert 'href="#call-0-0"' in page


def test_texts_of_one_lane_are_traced_behind_each_other() -> None:
    said = choice(text("One. ", lane=0), text("Two.", lane=0))
    shown = streamed_blocks(choice(text("One. Two.")))
    assert shown.analysis is not None
    read = msgspec.structs.replace(shown.analysis, choices=(said,))
    page = html(view(read, shown.body, tape=shown.tape))
    assert re.findall(r'data-lane="0" data-start="(\d)"', page) == ["0", "5"]


def test_choices_part_inside_the_block_that_differs() -> None:
    one = choice(text("Same. "), call(), text("Rain is near."), calls=WEATHER)
    other = choice(text("Same. "), call(), text("Rain is far."), calls=WEATHER, index=1)
    content = draw(view(analysis(one, other))).content
    assert isinstance(content, ChoicesDisplay) and content.fork is not None
    assert content.fork.shared == 14
    runs = [part.passage.visible_runs for part in content.choices[1].blocks if part.passage]
    assert [[run.kind for run in each] for each in runs] == [["same"], ["same", "fork", ""]]


def test_the_event_of_a_difference_is_that_of_its_block() -> None:
    one = choice(text("Same. "), text("Near."))
    shown = streamed_blocks(one)
    assert shown.analysis is not None
    other = Choice(index=1, content="Same. Far.")
    read = msgspec.structs.replace(shown.analysis, choices=(*shown.analysis.choices, other))
    content = draw(view(read, shown.body, tape=shown.tape)).content
    assert isinstance(content, ChoicesDisplay) and content.fork is not None
    assert [side.event for side in content.fork.sides] == [1, None]


def test_each_text_is_read_as_markdown_where_it_is_asked_for() -> None:
    said = analysis(choice(text("**a**"), text("*b*")))
    shown = blocks(view(said, query_params={"choices": "markdown"}))
    assert [part.rendered for part in shown] == [
        "<p><strong>a</strong></p>\n", "<p><em>b</em></p>\n",
    ]  # fmt: skip


def test_an_empty_text_block_is_an_empty_string() -> None:
    first, _ = drawn(text(""), text("b"))
    assert first.passage is not None and first.passage.absent == "empty string"


def test_reasoning_that_is_hidden_shows_what_was_sent() -> None:
    part = Block(kind=BlockKind.REASONING, type="redacted_thinking", value={"data": "EmwKA"})
    assert "redacted thinking data EmwKA" in words(
        view(analysis(choice(part, text("a"), text("b"))))
    )


def test_what_a_text_comes_with_is_folded_below_it() -> None:
    sent = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB", "citations": []}
    thinking = Block(kind=BlockKind.REASONING, type="thinking", text="Hm.", value=sent)
    shown, *_ = drawn(thinking, text("a"), text("b"))
    assert [member.name[0].text for member in shown.members] == ["signature"]
    assert "signature signature EqQB texts 1 and 2" in words(
        view(analysis(choice(thinking, text("a"), text("b"))))
    )


def test_very_many_blocks_are_drawn_in_part() -> None:
    said = view(analysis(choice(*(text(f"{number} ") for number in range(250)))))
    assert len(blocks(said)) == 200
    assert "50 more blocks are in the body" in words(said)


# -- what the provider ran ------------------------------------------------------------------------


def test_a_hosted_call_tells_name_status_input_and_output() -> None:
    part = hosted({
        "type": "mcp_call", "id": "mcp_1", "status": "completed", "name": "roll",
        "server_label": "dice", "arguments": '{"sides":6}', "output": "4", "error": None,
    })  # fmt: skip
    (shown,) = drawn(part)
    assert shown.part is not None
    assert words(view(analysis(choice(part)))).endswith(
        "roll mcp call run by the provider completed id mcp_1 server_label dice error null "
        'arguments {"sides":6} output 4'
    )
    assert not shown.part.is_failed


@pytest.mark.parametrize(
    ("value", "fails"),
    [
        ({"type": "web_search_call", "status": "completed"}, False),
        ({"type": "web_search_call", "status": "failed"}, True),
        ({"type": "mcp_tool_result", "is_error": True}, True),
        ({"type": "mcp_tool_result", "is_error": False}, False),
        ({"type": "mcp_call", "error": {"type": "x"}}, True),
        ({"type": "x_result", "content": {"type": "web_search_tool_result_error"}}, True),
        ({"type": "x_result", "content": {"type": "code_execution_result"}}, False),
        ({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "4"}}, False),
        ({"codeExecutionResult": {"outcome": "OUTCOME_FAILED"}}, True),
    ],
)
def test_a_hosted_call_that_failed_says_so(value: dict[str, Any], fails: bool) -> None:
    (shown,) = drawn(hosted(value, type=value.get("type", "codeExecutionResult")))
    assert shown.part is not None and shown.part.is_failed is fails


def test_the_members_of_a_named_object_come_first() -> None:
    value = {
        "thoughtSignature": "sig",
        "executableCode": {"language": "PYTHON", "code": "print(4)"},
    }
    part = hosted(value, type="executableCode")
    assert words(view(analysis(choice(part)))).endswith(
        "executableCode run by the provider language PYTHON thoughtSignature sig code print(4)"
    )


def test_a_long_output_is_opened_into_its_members() -> None:
    ran = {"type": "code_execution_result", "stdout": "a\nb\n" * 20, "return_code": 0}
    part = hosted({"type": "code_execution_tool_result", "content": ran})
    shown = words(view(analysis(choice(part))))
    assert "content.type code_execution_result content.return_code 0 content.stdout a b" in shown
    short = hosted({"type": "x", "content": {"stdout": "a"}})
    assert 'content {"stdout": "a"}' in words(view(analysis(choice(short))))


def test_a_signature_is_folded_after_a_few_characters() -> None:
    part = hosted({"type": "x", "thoughtSignature": "Ab+/" * 30})
    assert f"thoughtSignature {'Ab+/' * 10} 80 more characters" in words(
        view(analysis(choice(part)))
    )


def test_a_long_output_is_folded_and_none_of_it_is_markup() -> None:
    part = hosted({"type": "code_interpreter_call", "output": "<script>alert(1)</script>" * 100})
    page = html_of(part)
    assert "<script>" not in page
    assert "2,200 more characters" in page


def test_an_image_that_the_provider_made_is_told_by_its_type_and_length() -> None:
    part = hosted({"type": "image_generation_call", "result": "iVBORw0KGgo" + "A" * 2_000})
    shown = words(view(analysis(choice(part))))
    assert "result image/png, 2,011 characters of base64" in shown
    assert "iVBOR" not in shown


def test_a_call_without_a_name_is_for_the_client() -> None:
    value = {"type": "local_shell_call", "action": {"command": ["ls"]}}
    part = Block(kind=BlockKind.TOOL_CALL, type="local_shell_call", value=value)
    assert "local shell call for the client to run" in words(view(analysis(choice(part))))


@pytest.mark.parametrize("value", [None, 7, "odd", ["a"], {}, {"type": None}])
def test_an_unknown_part_is_shown_whatever_it_is(value: Any) -> None:
    part = Block(kind=BlockKind.UNKNOWN, value=value)
    assert "unknown part" in words(view(analysis(choice(part))))


# -- images and audio -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}, "image/png, 5 B"),
        (
            {"source": {"type": "base64", "media_type": "image/webp", "data": "aGk"}},
            "image/webp, 2 B",
        ),
        ({"image_url": {"url": "data:image/gif;base64,R0lGODlh"}}, "image/gif, 6 B"),
        ({"b64_json": "/9j/4AAQ"}, "image/jpeg, 6 B"),
        ({"inlineData": {"data": "not base64!"}}, "type not sent, its data is not base64"),
        ({}, "type not sent, no image data was sent"),
        (None, "type not sent, no image data was sent"),
    ],
)
def test_an_image_is_described(value: Any, expected: str) -> None:
    assert expected in words_of(html_of(Block(kind=BlockKind.IMAGE, value=value)))


def test_the_address_of_an_image_is_a_link_that_nobody_follows() -> None:
    address = "https://images.example/cat.png"
    page = html_of(Block(kind=BlockKind.IMAGE, value={"image_url": {"url": address}}))
    assert f'<a href="{address}" rel="noopener noreferrer nofollow">{address}</a>' in page
    page = html_of(Block(kind=BlockKind.IMAGE, value={"image_url": "javascript:alert(1)"}))
    assert "<a href" not in page.split("choice-answer")[1] and "javascript:alert(1)" in page


def test_audio_of_a_part_is_played_from_its_block() -> None:
    data = {"mimeType": "audio/wav", "data": "UklGRiQAAABXQVZF"}
    part = Block(kind=BlockKind.AUDIO, type="inlineData", value={"inlineData": data})
    page = html_of(text("a"), part)
    assert re.search(r'<audio controls preload="none" src="/captures/[^"]+/blocks/1/audio/"', page)
    assert "transcript" not in page


def test_samples_name_the_type_that_was_stated() -> None:
    data = {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": "AQACAA=="}
    part = Block(kind=BlockKind.AUDIO, type="inlineData", value={"inlineData": data})
    page = html_of(part)
    assert "Raw samples (audio/L16;codec=pcm;rate=24000) are in no container" in page
    assert "<audio" not in page


def test_audio_that_is_no_object_is_shown_as_it_is() -> None:
    assert "input audio x" in words(
        view(analysis(choice(Block(kind=BlockKind.AUDIO, type="input_audio", value="x"))))
    )


# -- citations ----------------------------------------------------------------------------------------

CITED = {
    "type": "char_location",
    "cited_text": "Bergen is wet.",
    "document_index": 0,
    "document_title": "Weather",
    "start_char_index": 0,
    "end_char_index": 14,
}


def test_citations_are_numbered_over_all_texts_and_listed_below() -> None:
    web = {"type": "web_search_result_location", "url": "https://a.example/x", "title": "A"}
    said = view(
        analysis(choice(text("It rains.", citations=(CITED,)), text("Yes.", citations=(web,))))
    )
    page = html(said)
    assert (
        'It rains.<sup data-uncopied><a href="#note-0-1" aria-label="Source 1">1</a></sup>' in page
    )
    assert 'Yes.<sup data-uncopied><a href="#note-0-2" aria-label="Source 2">2</a></sup>' in page
    assert words(said).endswith(
        "texts 1 and 2 Copy It rains. 1 Yes. 2 1 Weather char_location Bergen is wet. "
        "document_index 0 start_char_index 0 end_char_index 14 2 A (a.example) "
        "web_search_result_location"
    )
    assert '<a href="https://a.example/x" rel="noopener noreferrer nofollow">A</a>' in page
    assert '<q class="quoted">Bergen is wet.' in page


def test_a_citation_with_a_place_is_marked_there() -> None:
    cited = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://a.example/"}
    page = html_of(text("It rains.", citations=(cited,)))
    assert 'It<sup data-uncopied><a href="#note-0-1"' in page
    assert "for characters 0 to 2" in page


def test_a_long_address_is_said_by_its_link() -> None:
    address = f"https://a.example/{'x' * 300}"
    page = html_of(text("x", citations=({"title": "T", "uri": address},)))
    assert f'<a href="{address}"' in page and page.count(address) == 1


def test_an_address_that_is_no_page_is_no_link() -> None:
    page = html_of(text("x", citations=({"title": "T", "url": "javascript:alert(1)"},)))
    assert 'href="javascript' not in page and "javascript:alert(1)" in page


def test_a_block_of_citations_lists_its_sources_and_the_rest() -> None:
    value = {
        "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "https://a.example/", "title": "A"}}],
            "searchEntryPoint": {"renderedContent": "<style>x</style>"},
        }
    }
    part = Block(kind=BlockKind.CITATION, type="groundingMetadata", value=value)
    page = html_of(text("It rains."), part)
    assert '<a href="https://a.example/" rel="noopener noreferrer nofollow">A</a>' in page
    assert "searchEntryPoint" in page and "<style>" not in page


@pytest.mark.parametrize("value", [{"type": "reference", "reference_ids": [1, 2]}, "odd", None, {}])
def test_a_reference_is_shown_as_it_is(value: Any) -> None:
    part = Block(kind=BlockKind.CITATION, type="reference", value=value)
    (_, shown) = drawn(text("x"), part)
    assert [note.number for note in shown.notes.notes] == [1]


# -- text from outside --------------------------------------------------------------------------------


def hostile_message(said: str) -> tuple[Block, ...]:
    """The same text at every place of a block that a page shows."""
    fields = {
        "type": said, "name": said, "status": said, "title": said, "url": said, "cited_text": said,
        "mimeType": said, "data": said, said: {said: [said]}, "content": said,
    }  # fmt: skip
    kinds = (kind for kind in BlockKind if kind is not BlockKind.TEXT)
    return (
        text(said, citations=(fields, said, [said])),
        text(said),
        *(Block(kind=kind, type=said, value=fields) for kind in kinds),
        Block(kind=BlockKind.CITATION, type=said, value={said: {"citations": [fields]}}),
    )


@pytest.mark.parametrize("said", HOSTILE_TEXTS)
def test_hostile_text_is_inert_in_every_block(said: str) -> None:
    shown = view(analysis(choice(*hostile_message(said))))
    assert_inert(html(shown))
    assert len(blocks(shown)) == 11
    assert_inert(html(view(shown.analysis, query_params={"choices": "markdown"})))
