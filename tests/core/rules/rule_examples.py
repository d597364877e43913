"""The examples of the rules, from their cases; ``python -m tests.core.rules.rule_examples`` prints them."""

import json
from collections.abc import Iterator
from typing import Any

from inspector.core.wire.exchange import Read, Request
from tests.core.rules.rule_cases import CASES, Told, findings

MAX_CHARACTERS = 1_200
"""What is longer is not read as an example."""
GZIP = "\\x1f"
"""Begins what no text shows, and what has the time at which it was compressed."""
NAMED = {chr(code): f"\\x{code:02x}" for code in range(0x20) if chr(code) not in "\t\n"}
ESCAPES = str.maketrans({**NAMED, "\r": "\\r"})


def page() -> str:
    examples = {code: example for code in CASES for example in example_of(code)}
    return json.dumps(examples, ensure_ascii=False, indent=0) + "\n"


def example_of(code: str) -> Iterator[dict[str, str]]:
    fires, silent = map(written, CASES[code])
    if max(len(fires), len(silent)) <= MAX_CHARACTERS and GZIP not in fires:
        found = next(each for each in findings(CASES[code][0]) if each.code == code)
        yield {"says": found.message, "fires": fires, "silent": silent}


def written(case: Told) -> str:
    """Write a case as text: what is known of the exchange in lines above the body."""
    body, known = case if isinstance(case, tuple) else (case, {})
    reads = known.get("reads", (Read(None, body),))
    facts = [
        f"{name.replace('_', ' ')}: {fact(value)}"
        for name, value in known.items()
        if name != "reads"
    ]
    return "\n".join([*facts, *[""][: len(facts)], "".join(map(arrival, reads))])


def fact(value: Any) -> str:
    if isinstance(value, Request):
        return text_of(value.body or b"")
    return ", ".join(map(" ".join, value)) if isinstance(value, tuple) else str(value)


def arrival(read: Read) -> str:
    at = "" if read.at_us is None else f"after {read.at_us:,} µs:\n"
    return f"{at}{text_of(read.data)}"


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace").translate(ESCAPES)


if __name__ == "__main__":
    print(page(), end="")
