"""The handler of every effect of a grammar, and the tables compiled with it."""

from functools import cache

from inspector.core import formats
from inspector.core.fold import (
    answer_handlers,
    block_handlers,
    call_handlers,
    candidates,
    events,
    message_handlers,
    partial_calls,
)
from inspector.core.fold.engine import Handlers, Node, compile_table

HANDLERS: Handlers = {
    **answer_handlers.HANDLERS,
    **block_handlers.HANDLERS,
    **call_handlers.HANDLERS,
    **candidates.HANDLERS,
    **events.HANDLERS,
    **message_handlers.HANDLERS,
    **partial_calls.HANDLERS,
}


@cache
def root_of(family: str) -> Node:
    """Return the compiled table of a family of formats."""
    return compile_table(formats.table_of(family), HANDLERS)
