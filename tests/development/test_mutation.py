import ast

import pytest

from development.mutation import Breaker


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("if a:\n    b()", "if not a:\n    b()"),
        ("x = a < b", "x = a <= b"),
        ("x = a == b", "x = not a == b"),
        ("x = a and b", "x = not (a and b)"),
        ("x = a + 1", "x = a - 1"),
        ("x = True", "x = False"),
        ("x = 41", "x = 42"),
        ("def f():\n    return a", "def f():\n    return None"),
        ("x = a", None),
        ("x = 'words'", None),
    ],
)
def test_one_fault_is_made_on_a_line_where_there_is_something_to_break(
    source: str, after: str | None
) -> None:
    line = source.count("\n") + 1 if source.startswith("def") else 1
    breaker = Breaker(line)
    tree = breaker.visit(ast.parse(source))
    assert (ast.unparse(tree) if breaker.found else None) == after
