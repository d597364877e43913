"""The page of the vendors, from their values; ``python -m tests.core.vendors_page`` prints it."""

from collections.abc import Iterable, Iterator

from inspector.core.vendors import Vendor, vendors

HEAD = """# Vendors

What each vendor is known to add to the format that it speaks. `vendor` is told by the host of the
request, else by the response's headers, else by signs in the body, never by a model's name; of
several, the one nearest to the client holds (a gateway, then a cloud, then a maker, then an engine).
Where nothing tells it, or two do and neither wins, it is null: the answer is read plainly and every
field kept.

Fields named here stay among the extras and are shown with their meaning.
"""
LEVELS = {
    "top": "beside the choices",
    "choice": "in a choice",
    "message": "in a message or delta",
    "usage": "in usage",
}


def page() -> str:
    parts = [HEAD, *(section(vendor) for vendor in sorted(vendors().values(), key=title))]
    return "\n".join(parts)


def title(vendor: Vendor) -> str:
    return vendor.title.casefold()


def section(vendor: Vendor) -> str:
    lines = "".join(f"- {line}\n" for line in remarks(vendor))
    return f"## {vendor.title}\n\n`{vendor.slug}`, {vendor.layer}\n\n{lines}"


def remarks(vendor: Vendor) -> Iterator[str]:
    yield from told_by(vendor)
    for level, where in LEVELS.items():
        for name, meaning in getattr(vendor, f"{level}_fields").items():
            yield f"{where} `{name}`: {meaning}"
    if vendor.cost_path:
        yield f"in usage `{'/'.join(vendor.cost_path)}`: the cost of the response in USD, as stated"
    for reason, meaning in vendor.finish_reasons.items():
        yield f"finish reason `{reason}`: {meaning}"
    yield from differences(vendor)


def told_by(vendor: Vendor) -> Iterator[str]:
    if vendor.hosts:
        yield f"hosts {named(vendor.hosts)}"
    if vendor.headers:
        yield f"headers {named(f'{name}*' if name[-1] == '-' else name for name in vendor.headers)}"


def differences(vendor: Vendor) -> Iterator[str]:
    """From what the documents promise of every answer."""
    if vendor.objects:
        yield f"values of `object`: {named(vendor.objects)}"
    if vendor.closing_objects:
        yield f"a stream is closed by {named(vendor.closing_objects)}"
    if vendor.end_mark is not None:
        yield f"end mark: {vendor.end_mark}"
    if "reasoning_tokens" in vendor.counted_outside:
        yield "reasoning tokens may be counted beside the completion tokens"
    if "prompt_audio_tokens" in vendor.counted_outside:
        yield "audio tokens may be counted beside the prompt tokens"
    if "cache-hit-and-miss" in vendor.promises:
        yield "cache hits and misses make up the prompt tokens"
    for code, reason in vendor.breaks.items():
        yield f"`{code}` is told as information: {reason}"


def named(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    print(page(), end="")
