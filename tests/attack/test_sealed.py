"""Acts that the product never does, read from its source: whatever is sent, none is there."""

import ast
import pickle
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from kombu.exceptions import ContentDisallowed
from kombu.serialization import loads, prepare_accept_content

from inspector.celery import app

ROOT = Path(__file__).parent.parent.parent
FETCHES = {
    "http.client",
    "http.server",
    "urllib.request",
    "ftplib",
    "smtplib",
    "socket",
    "httpx",
    "requests",
    "aiohttp",
}
MAY_CONNECT = {
    "inspector/operations/up/address.py": "asks whether our own address is free",
    "inspector/archive/readers/child.py": "talks to its own processes",
    "inspector/archive/readers/process.py": "talks to its own processes",
    "inspector/archive/readers/messages.py": "talks to its own processes",
    "inspector/operations/remote/client.py": "asks the installation that a person names",
    "inspector/operations/doctor.py": "asks the programs of its own installation",
    "inspector/operations/replay.py": "listens",
    "inspector/operations/run/routes.py": "looks whether a server of this machine listens",
    "inspector/operations/run/run.py": "finds free ports and asks its own archive",
    "inspector/telemetry/otlp_http.py": "posts to the collector that the installation names",
    "inspector/proxy/__main__.py": "listens",
    "inspector/proxy/server.py": "listens",
    "inspector/proxy/upstream_connector.py": "calls upstreams, whose addresses it checks",
    "inspector/proxy/caller_connection.py": "parses what callers send",
    "inspector/proxy/call.py": "forwards by these connections",
    "inspector/proxy/child_process.py": "talks to its own processes",
    "inspector/proxy/outbox.py": "talks to its own process",
    "inspector/proxy/recorder/__main__.py": "talks to its own process",
    "inspector/proxy/recorder/process.py": "talks to its own process",
}
RUNS_WHAT_IT_READS = {"pickle", "marshal", "shelve", "dill", "yaml", "code", "codeop", "pty"}
MAY_UNPICKLE = {
    "inspector/archive/readers/child.py",
    "inspector/archive/readers/process.py",
    "inspector/operations/up/apart.py",
}
"""Modules that unpickle what their own processes hand over, where nobody else can write."""
READS_SAFE_YAML = "inspector/transfer/files/yaml_list.py"
"""Cassettes, by a loader that makes plain values alone (``SafeConstructor``)."""
CALLS_THAT_RUN = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}


def sources(words: Iterable[str]) -> Iterator[tuple[str, ast.Module]]:
    """The modules in whose text one of the words stands."""
    for folder in ("inspector", "api"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            if any(word in text for word in words):
                yield str(path.relative_to(ROOT)), ast.parse(text)


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_one_of(name: str, names: set[str]) -> bool:
    return name in names or any(name.startswith(f"{each}.") for each in names)


def test_nothing_fetches_an_address() -> None:
    """None that somebody sent could be asked for, for nothing asks for any."""
    found = {
        path
        for path, tree in sources([name.partition(".")[0] for name in FETCHES])
        for name in imported(tree)
        if is_one_of(name, FETCHES)
    }
    assert found == set(MAY_CONNECT)


def test_nothing_runs_what_it_reads() -> None:
    found = [
        f"{path} {name}"
        for path, tree in sources(RUNS_WHAT_IT_READS)
        for name in imported(tree)
        if is_one_of(name, RUNS_WHAT_IT_READS)
        and path not in MAY_UNPICKLE
        and not (path == READS_SAFE_YAML and is_one_of(name, {"yaml"}))
    ]
    for path, tree in sources(["shell", *(name.rpartition(".")[2] for name in CALLS_THAT_RUN)]):
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        found += [f"{path}:{call.lineno}" for call in calls if runs_text(call)]
    assert found == []


def runs_text(call: ast.Call) -> bool:
    shell = next((word.value for word in call.keywords if word.arg == "shell"), None)
    is_shell = shell is not None and ast.unparse(shell) != "False"
    return is_shell or ast.unparse(call.func) in CALLS_THAT_RUN


@pytest.mark.parametrize(
    ("name", "encoding", "message"),
    [
        ("application/x-python-serialize", "binary", pickle.dumps(["drain"])),
        ("application/x-yaml", "utf-8", "!!python/object/apply:os.system [true]"),
        ("application/x-msgpack", "binary", b"\x80"),
        ("text/plain", "utf-8", "drain"),
    ],
)
def test_a_message_that_is_no_json_is_not_even_read(name: str, encoding: str, message: Any) -> None:
    taken = prepare_accept_content(app.conf.accept_content)
    assert taken == {"application/json"}
    with pytest.raises(ContentDisallowed):
        loads(message, name, encoding, accept=taken)


def test_nobody_commands_a_worker_by_message() -> None:
    assert app.conf.worker_enable_remote_control is False
    ours = {name for name in app.tasks if not name.startswith("celery.")}
    assert all(name.startswith("inspector.archive.inspection.tasks.") for name in ours)


# -- patterns -------------------------------------------------------------------------------------


HAS_A_SIGN_BETWEEN = {r"[a-z]+|[0-9]+(?:\.[0-9]+)*"}
"""Where a sign that the inner repeat does not take begins each round, there is one way to read it."""


def patterns() -> Iterator[tuple[str, str, int]]:
    """Every pattern that is compiled from a text that stands in the source, with its flags."""
    for path, tree in sources(["re.compile"]):
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"):
                continue
            pattern = node.args[0]
            if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str | bytes):
                flags = re.VERBOSE if "VERBOSE" in ast.unparse(node) else 0
                text = pattern.value
                text = text.decode("latin-1") if isinstance(text, bytes) else text
                yield f"{path}:{node.lineno}", text, flags


def repeats_repeats(pattern: str, flags: int = 0) -> bool:
    """Whether something without end is repeated without end, and both may give back: the time of
    such a pattern grows by powers of the text's length. Possessive repeats give nothing back.
    """
    return _inside(_parser.parse(pattern, flags), False)


def _inside(parsed: Any, is_repeated: bool) -> bool:
    return any(_gives_back(op, value, is_repeated) for op, value in parsed)


def _gives_back(op: Any, value: Any, is_repeated: bool) -> bool:
    if op in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        _, most, inner = value
        is_endless = most == _constants.MAXREPEAT
        return (is_repeated and is_endless) or _inside(inner, is_repeated or is_endless)
    if op in (_constants.POSSESSIVE_REPEAT, _constants.ATOMIC_GROUP):
        return False
    if op is _constants.SUBPATTERN:
        return _inside(value[3], is_repeated)
    if op is _constants.BRANCH:
        return any(_inside(way, is_repeated) for way in value[1])
    return False


def test_no_pattern_repeats_what_is_repeated() -> None:
    found = [
        f"{place} {pattern}"
        for place, pattern, flags in patterns()
        if repeats_repeats(pattern, flags) and pattern not in HAS_A_SIGN_BETWEEN
    ]
    assert found == []
    assert len(list(patterns())) > 50


@pytest.mark.parametrize(
    ("pattern", "is_slow"),
    [
        (r"(a+)+", True),
        (r"(?:x|(?:a*b?)*)", True),
        (r"(a+?c)*", True),
        (r"(?:a++)+", False),
        (r"(?>a+)+", False),
        (r"(a{1,5})+", False),
        (r"a+b+", False),
    ],
)
def test_a_slow_pattern_would_be_seen(pattern: str, is_slow: bool) -> None:
    assert repeats_repeats(pattern) is is_slow
