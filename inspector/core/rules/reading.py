"""Rules about the limits of reading: content that was not taken apart."""

from collections.abc import Iterator

from inspector.core.findings import Severity, Where
from inspector.core.limits import LIMITS
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import Remark, rule
from inspector.core.rules.traits import Trait


@rule("reading.told", Severity.INFO, when=Trait.TOLD)
def told(context: RuleContext) -> Iterator[Remark]:
    """The evidence is a record of telemetry: a program tells of the answer.
    No byte is the provider's: what it sent, and when, is not known.
    """
    if context.is_told:
        yield "Told by OpenTelemetry: no byte of this is what a provider sent.", Where()


@rule("reading.capped", Severity.WARNING, is_last=True)
def capped(context: RuleContext) -> Iterator[Remark]:
    """The response has more parts than one analysis reads; all bytes are kept and shown.
    The analysis does not cover the whole response.
    """
    parts = [
        f"the first {LIMITS[kind]:,} {kind} ({count:,} more came)"
        for kind, count in context.left_out.items()
    ]
    if parts:
        yield f"Only these parts were analysed: {', '.join(parts)}.", Where()
