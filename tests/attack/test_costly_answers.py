"""Answers that are cheap to send and dear to read: what is computed of one grows as its length
does, whatever it repeats.
"""

import pytest

from inspector.archive.readers.extract import extract
from inspector.core.wire.exchange import Exchange
from tests.attack.native_shapes import NATIVE_SHAPES
from tests.attack.shapes import SHAPES, SHOWN, Shape
from tests.steps import steps
from tests.tiers import mostly_thorough

FEW, TIMES = 100, 8
ALLOWED = 1.25
"""Also a tree grows by a level."""
CASES = {
    **SHAPES,
    **NATIVE_SHAPES,
    **{f"shown: {name}": shape for name, shape in SHOWN.items()},
}


@pytest.mark.parametrize(("name", "shape"), mostly_thorough(CASES.items(), by_default=8))
def test_reading_an_answer_takes_no_more_steps_than_it_is_longer(name: str, shape: Shape) -> None:
    few, many = (Exchange.of_body(shape.body(entries)) for entries in (FEW, FEW * TIMES))
    extract(few)
    assert steps(lambda: extract(many)) <= TIMES * ALLOWED * steps(lambda: extract(few)), name
