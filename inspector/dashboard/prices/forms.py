"""Forms of the price page; valid input becomes a value of ``inspector.usage.cost``."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst

from inspector.core.fields.service_tier import STANDARD, STANDARD_WORDS
from inspector.core.vendors import vendors
from inspector.dashboard.text.cost_labels import kind_words
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.repricing import midnight

MODEL_CHARACTERS = 200
TIER_CHARACTERS = 63
"""The widths of the columns."""
MAX_USD = 100_000
"""Limit per rate: a hundred times that of the costliest model."""
DECIMAL_PLACES = 9
"""Per million tokens: finer than any price table."""
ANY_VENDOR = ""
EXACT, PREFIX = "exact", "prefix"
STANDARD_TIER, ANY_TIER, ONE_TIER = "", "any", "one"
TIERS = {STANDARD_TIER: STANDARD, ANY_TIER: None}
MAIN_CONDITIONS = ("model", "starts")
MAIN_RATES = (TokenKind.PROMPT, TokenKind.COMPLETION)
"""Rates that a price mostly needs; the form folds the rest."""
CONDITIONS = ("model", "match", "vendor", "tier", "tier_name", "starts", "ends")
RATE_LABELS = {kind: kind_words(kind) for kind in TokenKind} | {
    TokenKind.SEARCH: "each search, USD",
    TokenKind.REQUEST: "each request, USD",
}


class DayField(forms.DateField):
    """A date as browsers submit it: 2026-11-01."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(widget=widget, input_formats=["%Y-%m-%d"], **kwargs)


class PriceForm(forms.Form):
    model = forms.CharField(
        label="Model, as in the answer",
        max_length=MODEL_CHARACTERS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    match = forms.ChoiceField(label="Match", choices=((EXACT, "exact name"), (PREFIX, "prefix")))
    vendor = forms.ChoiceField(label="Vendor", required=False)
    tier = forms.ChoiceField(
        label="Service tier",
        required=False,
        choices=((STANDARD_TIER, "standard"), (ANY_TIER, "any"), (ONE_TIER, "this tier")),
    )
    tier_name = forms.CharField(
        label="Tier, as in the answer",
        max_length=TIER_CHARACTERS,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    starts = DayField(label="First day, UTC")
    ends = DayField(label="Ends before day (optional)", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        by_title = sorted((vendor.title, slug) for slug, vendor in vendors().items())
        vendor = self.fields["vendor"]
        assert isinstance(vendor, forms.ChoiceField)
        vendor.choices = [(ANY_VENDOR, "any"), *((slug, title) for title, slug in by_title)]
        for kind in TokenKind:
            self.fields[rate_field_name(kind)] = forms.DecimalField(
                label=capfirst(RATE_LABELS[kind]),
                required=False,
                min_value=Decimal(0),
                max_value=Decimal(MAX_USD),
                decimal_places=DECIMAL_PLACES,
                max_digits=20,
                widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
            )

    @property
    def conditions(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in CONDITIONS if name not in MAIN_CONDITIONS)

    @property
    def main_rates(self) -> Iterator[forms.BoundField]:
        return (self[rate_field_name(kind)] for kind in MAIN_RATES)

    @property
    def rates(self) -> Iterator[forms.BoundField]:
        return (self[rate_field_name(kind)] for kind in TokenKind if kind not in MAIN_RATES)

    @property
    def scope(self) -> Override | None:
        """What the price is for as filled in so far, without rates; None if for nothing."""
        given = {name: str(self[name].value() or "") for name in CONDITIONS}
        starts, ends = parse_day(given["starts"]), parse_day(given["ends"])
        if not given["model"] or starts is None:
            return None
        match, vendor, tier = given["match"], given["vendor"] or None, given["tier"]
        named = TIERS.get(tier, given["tier_name"])
        return Override(given["model"], {}, starts, ends, match == PREFIX, vendor, named)

    def clean(self) -> None:
        entered = self.cleaned_data
        starts, ends = entered.get("starts"), entered.get("ends")
        if starts and ends and ends <= starts:
            self.add_error("ends", "It would end before it begins.")
        self._clean_tier(entered.get("tier"), entered.get("tier_name"))
        named = [rate_field_name(kind) for kind in TokenKind]
        if not any(entered.get(name) is not None or name in self.errors for name in named):
            raise ValidationError("Enter at least one rate; 0 is allowed.")

    def _clean_tier(self, tier: str | None, name: str | None) -> None:
        if tier == ONE_TIER and not name and "tier_name" not in self.errors:
            self.add_error("tier_name", "Name the tier.")
        elif tier == ONE_TIER and name in STANDARD_WORDS:
            self.add_error("tier_name", "This name means the standard tier.")
        elif tier in (STANDARD_TIER, ANY_TIER) and name:
            self.add_error("tier_name", "Choose “this tier”, or leave this empty.")

    @property
    def override(self) -> Override:
        entered = self.cleaned_data
        rates = {kind: entered[rate_field_name(kind)] for kind in TokenKind}
        return Override(
            model=entered["model"],
            # Decimal accepts a negative zero.
            rates={kind: usd.copy_abs() for kind, usd in rates.items() if usd is not None},
            starts=entered["starts"],
            ends=entered["ends"],
            is_prefix=entered["match"] == PREFIX,
            vendor=entered["vendor"] or None,
            tier=TIERS.get(entered["tier"], entered["tier_name"]),
        )


class EndPriceForm(forms.Form):
    day = DayField(label="Ends before day, UTC")


class RepriceForm(forms.Form):
    """The days whose costs are computed again, both included."""

    first = DayField(label="First day, UTC")
    last = DayField(label="To day")

    def clean(self) -> None:
        first, last = self.cleaned_data.get("first"), self.cleaned_data.get("last")
        if first and last and last < first:
            self.add_error("last", "The last day is before the first.")
        elif last == date.max:
            self.add_error("last", "This is the last possible day.")

    @property
    def since(self) -> datetime:
        return midnight(self.cleaned_data["first"])

    @property
    def until(self) -> datetime:
        return midnight(self.cleaned_data["last"] + timedelta(days=1))


def rate_field_name(kind: TokenKind) -> str:
    return f"rate_{kind}"


def parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
