"""Texts that follow each other are one flow of words, as a provider that cites sends them."""

import pytest

from inspector.core.completion import Block
from inspector.dashboard.capture.choices.panel import ChoicesDisplay, draw
from tests.dashboard.capture.block_samples import call, choice, streamed_blocks, text
from tests.dashboard.capture.choices.test_blocks import WEATHER, html, words
from tests.dashboard.capture.samples import analysis, view
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert

LONG = "a" * 5_000


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("It "), text("rains.")), [2]),
        ((text("It "), text("rains "), text("now.")), [3]),
        ((text("Look. "), call(), text("It "), text("rains.")), [1, 1, 2]),
        ((text("It "), call(), text("rains.")), [1, 1, 1]),
        ((text(""), text("It "), text("rains.")), [1, 2]),
        ((text(LONG), text("It "), text("rains.")), [1, 2]),
    ],
)
def test_texts_in_a_row_stand_together(parts: tuple[Block, ...], expected: list[int]) -> None:
    content = draw(view(analysis(choice(*parts, calls=WEATHER)))).content
    assert isinstance(content, ChoicesDisplay)
    assert [len(run.blocks) for run in content.choices[0].block_runs] == expected


def test_their_words_are_not_parted_and_each_is_traced_in_its_lane() -> None:
    page = html(streamed_blocks(choice(text("It "), text("rains."))))
    assert 'It </span></span><span class="block" id="block-0-1">' in page
    assert 'id="text-of-block-0-0" data-exact data-lane="0" data-start="0"' in page
    assert 'id="text-of-block-0-1" data-exact data-lane="1" data-start="0"' in page
    assert 'data-copy="#text-of-run-block-0-0"' in page
    assert 'aria-label="Copy texts 1 and 2 of choice 0"' in page


def test_a_text_alone_keeps_its_own_name() -> None:
    said = choice(text("Look. "), call(), text("It "), text("rains."), calls=WEATHER)
    assert words(view(analysis(said))).endswith(
        'text 1 Copy Look. get_weather {"city":"Bergen"} texts 2 and 3 Copy It rains.'
    )


def test_markdown_that_ends_in_a_later_text_is_read_as_one() -> None:
    said = analysis(choice(text("**It "), text("rains**.")))
    page = html(view(said, query_params={"choices": "markdown"}))
    assert "<p><strong>It rains</strong>.</p>" in page
    assert 'id="block-0-1"' in page


def test_json_that_ends_in_a_later_text_is_read_as_one() -> None:
    said = analysis(choice(text('{"rain"'), text(": true}")))
    page = html(view(said, query_params={"choices": "json"}))
    assert 'data-untraced="JSON"' in page and "rain" in page


def test_texts_that_are_no_json_together_are_drawn_alone() -> None:
    said = analysis(choice(text("It "), text("rains.")))
    page = words(view(said, query_params={"choices": "json"}))
    assert "text 1" in page and "texts 1 and 2" not in page


@pytest.mark.parametrize("said", HOSTILE_TEXTS)
def test_hostile_texts_in_a_row_are_inert(said: str) -> None:
    shown = view(analysis(choice(text(said), text(said))))
    assert_inert(html(shown))
    assert_inert(html(view(shown.analysis, query_params={"choices": "markdown"})))
