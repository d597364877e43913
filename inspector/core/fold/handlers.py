"""What every effect of a grammar does, and the tables compiled with it."""

from __future__ import annotations

from functools import cache

from inspector.core import formats
from inspector.core.fold import answer, message, tool_calls
from inspector.core.fold.engine import Handlers, Node, compile_table

HANDLERS: Handlers = {**answer.HANDLERS, **message.HANDLERS, **tool_calls.HANDLERS}


@cache
def root_of(family: str) -> Node:
    """The compiled table of a family of formats."""
    return compile_table(formats.table_of(family), HANDLERS)
