"""Names and texts of lanes."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from inspector.core.analysis import Analysis
from inspector.core.completion import Block, BlockKind, Choice, known
from inspector.core.tape import Lane, LaneKind

TEXT_KINDS = (BlockKind.TEXT, BlockKind.REASONING, BlockKind.REFUSAL)


class LaneTexts:
    """Names and texts of the lanes of one analysis, by lane and its number on the tape."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._blocks: defaultdict[int, list[Block]] = defaultdict(list)
        self._positions: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._numbers: dict[tuple[int, int | None], str] = {}
        """`` 2`` for the second of several calls of one tool, by choice and position."""
        for choice in analysis.choices:
            self._take(choice)

    def name(self, number: int | None, lane: Lane) -> str:
        """Name of the tool call, or the kind of text: ``text 2`` where a choice has several."""
        call = call_of(self._analysis, lane)
        name = getattr(call, "name", None)
        if isinstance(name, str) and name:
            return well_formed(f"{name}{self._numbers.get((lane.choice, lane.tool_call), '')}")
        kind = lane.kind.replace("-", " ")
        return kind if number is None else self._names.get(number, kind)

    def text(self, number: int, lane: Lane) -> str | None:
        """Return the final text; None if it is unknown."""
        call = call_of(self._analysis, lane)
        if call is not None:
            return call.arguments_text  # type: ignore[no-any-return]
        if number in self._names:
            texts = [block.text for block in self._blocks[number]]
            return "".join(text for text in texts if isinstance(text, str))
        text = getattr(self._analysis.choice(lane.choice), lane.kind, None)
        return text if isinstance(text, str) else None

    def block(self, number: int) -> int | None:
        """Position of the block whose text alone the lane is; None if it has all of its kind."""
        return self._positions.get(number) if number in self._names else None

    def _take(self, choice: Choice) -> None:
        for position, block in enumerate(choice.blocks):
            if block.lane is not None:
                self._blocks[block.lane].append(block)
                self._positions[block.lane] = position
        for kind in TEXT_KINDS:
            self._names |= numbered_names(choice, kind)
        for position, number in numbered_calls(choice):
            self._numbers[choice.index, position] = f" {number}"
        for block in choice.blocks:
            if block.lane is not None and block.kind not in TEXT_KINDS and is_nameless(block):
                self._names[block.lane] = well_formed(type_words(block))


def numbered_names(choice: Choice, kind: BlockKind) -> dict[int, str]:
    """Names of the lanes of one kind, counted as the blocks are; empty if it has one lane."""
    found: dict[int, str] = {}
    for number, block in enumerate((b for b in choice.blocks if b.kind is kind), start=1):
        if block.lane is not None:
            found.setdefault(block.lane, f"{kind} {number}")
    return found if len(found) > 1 else {}


def numbered_calls(choice: Choice) -> Iterator[tuple[int, int]]:
    """Yield the position of each call whose tool is called several times, and its number."""
    calls = ((position, call.name) for position, call in enumerate(choice.tool_calls))
    named = [(position, name) for position, name in calls if isinstance(name, str)]
    every, so_far = Counter(name for _, name in named), Counter[str]()
    for position, name in named:
        so_far[name] += 1
        if every[name] > 1:
            yield position, so_far[name]


def is_nameless(block: Block) -> bool:
    """Return True for a call that the provider ran, and for one of the client without a name."""
    is_call = block.kind is BlockKind.TOOL_CALL
    return not is_call or (block.tool_call is None and known(block.value))


def type_words(block: Block) -> str:
    """Return the format's own name of a part as words: ``web search call``."""
    sent = block.type if isinstance(block.type, str) and block.type else str(block.kind)
    return sent.replace("_", " ").replace("-", " ")


def call_of(analysis: Analysis, lane: Lane) -> Any:
    choice = analysis.choice(lane.choice)
    if choice is None:
        return None
    if lane.kind is LaneKind.FUNCTION_CALL:
        return choice.function_call
    position = lane.tool_call
    if lane.kind is not LaneKind.TOOL_CALL or position is None:
        return None
    return choice.tool_calls[position] if position < len(choice.tool_calls) else None


def well_formed(text: str) -> str:
    """Replace lone surrogates, which JSON cannot carry, without changing the length."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
