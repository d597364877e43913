"""An exchange before it is kept: without credentials, and without what rules of its team name."""

from collections.abc import Callable
from typing import NamedTuple

from inspector.core.credentials.cleaning import clean_exchange
from inspector.core.credentials.removal import Removal
from inspector.core.json import Json
from inspector.core.redaction.exchange_redaction import redact_exchange
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import Redaction
from inspector.core.wire.exchange import Exchange


class PreparedExchange(NamedTuple):
    exchange: Exchange
    metadata: dict[str, Json]
    removal: Removal
    redaction: Redaction | None
    """None where no rule named anything."""


def prepare(
    exchange: Exchange,
    metadata: dict[str, Json],
    removal: Removal | None,
    rules: RuleSet | None,
    keyed: Callable[[str], str],
) -> PreparedExchange:
    """Prepare it. ``removal`` is None until credentials were looked for, ``keyed`` makes of a
    SHA-256 what may be stored of it.
    """
    if removal is None:
        exchange, metadata, removal, _ = clean_exchange(exchange, metadata, keyed)
    if not rules:
        return PreparedExchange(exchange, metadata, removal, None)
    exchange, metadata, redaction = redact_exchange(exchange, metadata, rules, keyed)
    return PreparedExchange(exchange, metadata, removal, redaction)
