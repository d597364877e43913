"""A table of path patterns leads every value of an object to its handler."""

from typing import Any

import pytest

from inspector.core import formats
from inspector.core.completion import BlockKind
from inspector.core.fold.engine import Node, Path, compile_table, descend
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.handlers import HANDLERS, root_of
from inspector.core.formats import grammar
from inspector.core.formats.grammar import (
    AnswerField,
    At,
    AtPlace,
    Chunk,
    Effect,
    FieldBlock,
    Grow,
    IdentityField,
    Key,
    MessageField,
    Put,
    Table,
    under,
)


class Recorder:
    """A handler that notes what it got and goes on inside."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Path, Any]] = []

    def __call__(
        self, context: FoldContext, node: Node, value: Any, path: Path, around: Any
    ) -> None:
        self.taken.append((type(node.effect).__name__, path, value))
        descend(context, node, value, path)


def run(table: Table, value: Any) -> list[tuple[str, Path, Any]]:
    recorder = Recorder()
    root = compile_table(table, {type(effect): recorder for effect in table.values()})
    root.take(FoldContext(), root, value, (), None)
    return recorder.taken


def test_a_value_is_taken_by_the_pattern_of_its_path() -> None:
    table: Table = {"/a": AnswerField(), "/b/*": IdentityField(), "/b/*/c": MessageField()}
    assert run(table, {"b": [1, {"c": 2}], "a": 3, "d": 4}) == [
        ("IdentityField", ("b", 0), 1),
        ("IdentityField", ("b", 1), {"c": 2}),
        ("MessageField", ("b", 1, "c"), 2),
        ("AnswerField", ("a",), 3),
    ]


def test_any_name_is_taken_that_has_no_pattern_of_its_own() -> None:
    table: Table = {"/a": IdentityField(), "/?": AnswerField()}
    assert [name for name, _, _ in run(table, {"b": 1, "a": 2})] == ["AnswerField", "IdentityField"]


def test_a_more_exact_name_has_what_any_name_has_inside() -> None:
    table: Table = {"/a": IdentityField(), "/?/x": AnswerField()}
    assert run(table, {"a": {"x": 1}})[1] == ("AnswerField", ("a", "x"), 1)


def test_a_key_is_left_alone() -> None:
    assert run({"/index": Key(), "/?": AnswerField()}, {"index": 0}) == []


def test_the_object_itself_comes_before_what_is_inside() -> None:
    assert [name for name, _, _ in run({"/a": IdentityField(), "": Chunk()}, {"a": 1})] == [
        "Chunk",
        "IdentityField",
    ]


def test_a_table_stands_at_another_place_as_well() -> None:
    assert under("/delta", {"/a": IdentityField(), "": Chunk()}) == {
        "/delta/a": IdentityField(),
        "/delta": Chunk(),
    }


def test_a_list_where_an_object_is_meant_is_passed_over() -> None:
    assert run({"/a/b": IdentityField()}, {"a": [1]}) == []


def test_every_effect_of_a_table_has_a_handler() -> None:
    # With keys nothing is done, and AtPlace is what effects at a place have in common.
    effects = {
        each
        for each in vars(grammar).values()
        if isinstance(each, type)
        and issubclass(each, Effect)
        and each not in (Effect, Key, AtPlace)
    }
    assert effects == set(HANDLERS)


@pytest.mark.parametrize("slug", sorted(formats.dialects()))
def test_every_table_can_be_compiled(slug: str) -> None:
    assert root_of(formats.family_of(formats.dialects()[slug])).take is not descend


@pytest.mark.parametrize("begins", [True, False])
def test_a_text_that_would_grow_in_no_block_is_refused(begins: bool) -> None:
    table: Table = {
        "/plan": FieldBlock(BlockKind.REASONING),
        At("piece", "/text"): Grow("/plan", begins=begins),
    }
    with pytest.raises(ValueError, match="piece.*/text"):
        compile_table(table, HANDLERS)


def test_a_text_in_a_field_of_its_own_may_be_put() -> None:
    table: Table = {"/plan": FieldBlock(BlockKind.REASONING), At("piece", "/text"): Put("/plan")}
    assert compile_table(table, HANDLERS).events
