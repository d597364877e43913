"""No type of ours is shown to msgspec by two threads at once."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

PLAIN = {"Any", "None", "UUID", "bytes", "datetime", "dict", "float", "int", "list", "str", "tuple"}
"""Names of types of which msgspec builds nothing that threads share."""
RACE = """
import sys, threading
from msgspec import Struct, convert
from inspector.core.decoded_types import built
class Inner(Struct):
    number: int
class Outer(Struct):
    inner: Inner
    texts: dict[str, tuple[str, ...]] = {}
sys.setswitchinterval(1e-6)
together, read = threading.Barrier(8), []
def convert_one():
    together.wait()
    read.append(convert({"inner": {"number": 1}}, built(Outer)))
threads = [threading.Thread(target=convert_one) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
assert read == [Outer(Inner(1))] * 8
"""


def test_threads_that_first_name_a_type_together_all_get_their_values() -> None:
    for _ in range(5):
        subprocess.run([sys.executable, "-c", RACE], check=True, cwd=settings.BASE_DIR)


@pytest.mark.parametrize("folder", ["api", "inspector"])
def test_every_type_of_ours_is_built_before_it_is_named_to_msgspec(folder: str) -> None:
    found = [
        f"{path.relative_to(settings.BASE_DIR)}: {unbuilt}"
        for path in sorted((settings.BASE_DIR / folder).rglob("*.py"))
        for unbuilt in unbuilt_types(path)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "unbuilt"),
    [
        ("msgspec.convert(row, Envelope)", ["Envelope"]),
        ("msgspec.convert(row, built(Envelope))", []),
        ("msgspec.json.decode(text, type=list[Envelope])", ["list[Envelope]"]),
        ("msgspec.json.decode(text, type=list[tuple[str, int | None]])", []),
        ("msgspec.msgpack.Decoder(Envelope)", ["Envelope"]),
        ("msgspec.json.Decoder()", []),
    ],
)
def test_what_is_looked_for(line: str, unbuilt: list[str], tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(line)
    assert list(unbuilt_types(module)) == unbuilt


def unbuilt_types(path: Path) -> Iterator[str]:
    if path.name == "decoded_types.py":
        return
    text = path.read_text()
    for node in ast.walk(ast.parse(text)) if "msgspec" in text else ():
        if isinstance(node, ast.Call) and (kind := named_type(node)) is not None:
            names = {each.id for each in ast.walk(kind) if isinstance(each, ast.Name)}
            if names - PLAIN - {"msgspec", "Raw", "built"} and not is_built(kind):
                yield ast.unparse(kind)


def is_built(kind: ast.expr) -> bool:
    return isinstance(kind, ast.Call) and ast.unparse(kind.func) == "built"


def named_type(call: ast.Call) -> ast.expr | None:
    """What msgspec is told to make."""
    called = ast.unparse(call.func)
    if not called.startswith("msgspec."):
        return None
    if called == "msgspec.convert":
        return call.args[1]
    if called.endswith(".Decoder"):
        return call.args[0] if call.args else None
    if called.endswith(".decode"):
        return next((each.value for each in call.keywords if each.arg == "type"), None)
    return None
