"""State that handlers change: the current event, and the parts of the answer around it."""

from inspector.core.fold.answer import AnswerFold
from inspector.core.fold.blocks import BlockFold
from inspector.core.fold.engine import Node
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.message import ChoiceFold
from inspector.core.fold.tool_calls import ToolCallFold
from inspector.core.formats.grammar import TypedEvent
from inspector.core.json import Json


class FoldState(FoldContext):
    choice: ChoiceFold
    call: ToolCallFold
    call_body: dict[str, Json]
    """The fields of ``call`` that hold its name and arguments."""

    def __init__(self, root: Node) -> None:
        super().__init__()
        self.answer = AnswerFold(self, root)
        self.block: BlockFold | None = None
        """The block that the event describes now."""

    @property
    def builds_by_events(self) -> bool:
        """True if events say what begins, what is added to it, and what it is when it is whole."""
        return isinstance(self.answer.root.effect, TypedEvent)
