"""The meaning of fields that the dialect does not define, if the vendor documents them."""

from inspector.core.json.pointer import steps_of
from inspector.core.tokens.usage import MONEY
from inspector.core.vendors import Vendor


def field_meaning(vendor: Vendor | None, level: str, pointer: str) -> str:
    """Return a sentence like "Groq: time in the queue in s"; "" if nothing is known.

    ``level`` is top, choice, message or usage; ``pointer`` is a JSON Pointer from there.
    """
    name = "/".join(steps_of(pointer))
    if level == "choice" and name.startswith("message/"):
        level, name = "message", name.removeprefix("message/")
    meaning = vendor.meaning(level, name) if vendor else None
    if vendor and meaning:
        return f"{vendor.title}: {meaning}"
    return undocumented_cost(vendor) if level == "usage" and name in MONEY else ""


def undocumented_cost(vendor: Vendor | None) -> str:
    """Tell why a cost inside usage is not counted as stated by the provider."""
    if vendor is not None and vendor.cost_path:
        return ""
    nobody = f"{vendor.title} does not document it" if vendor else "no known vendor sent it"
    return f"{nobody}; LiteLLM, for one, adds its own estimate. Not counted as a stated cost"
