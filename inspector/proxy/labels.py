"""Labels that a caller gives its call for the inspector alone, in headers that go no further."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from inspector.proxy.headers import OWN, RawHeader

TAG = OWN + b"tag"
METADATA = OWN + b"meta-"
RETURN = OWN + b"return"
CAPTURE = OWN + b"capture"


@dataclass(frozen=True, slots=True)
class Labels:
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    """By what follows ``X-Inspector-Meta-``, in lower case as HTTP has it."""
    returns_capture: bool = False
    """The caller asks for the address of its capture, in the header ``X-Inspector-Capture``."""


def labels_of(headers: Sequence[RawHeader]) -> Labels:
    """Headers of one name are one list, with commas between (RFC 9110, section 5.3)."""
    said: dict[bytes, list[str]] = defaultdict(list)
    for name, value in headers:
        if name.startswith(OWN):
            said[name].append(value.decode().strip())
    return Labels(
        tags=tuple(tag for tag in map(str.strip, ",".join(said[TAG]).split(",")) if tag),
        metadata={
            name.removeprefix(METADATA).decode("latin-1"): ", ".join(values)
            for name, values in said.items()
            if name.startswith(METADATA) and name != METADATA
        },
        returns_capture="capture" in said[RETURN],
    )


def with_capture(headers: Sequence[RawHeader], url: str) -> list[RawHeader]:
    """Return a response's headers with the capture's address; an upstream cannot say another."""
    kept = [header for header in headers if header[0].lower() != CAPTURE]
    return [*kept, (CAPTURE, url.encode("ascii"))]
