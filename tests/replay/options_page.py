"""The table of options in the page of replays; ``python -m tests.replay.options_page`` prints it."""

from __future__ import annotations

from inspector.replay.options import OPTIONS, ReplayOption

HEAD = "| option | may be | does |\n|---|---|---|\n"
BEGIN = "<!-- options: python -m tests.replay.options_page -->\n"
END = "<!-- end of options -->\n"


def table() -> str:
    return HEAD + "".join(map(row, OPTIONS))


def row(option: ReplayOption) -> str:
    default = f"; default {option.default}" if option.default else ""
    repeatable = " Repeatable." if option.is_repeatable else ""
    return f"| `{option.name}` | {option.bounds}{default} | {option.about}{repeatable} |\n"


if __name__ == "__main__":
    print(table(), end="")
