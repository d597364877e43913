"""Forms of the pages of retention rules and receipts."""

from uuid import UUID

from django import forms

from inspector.archive.background.retention_rules import MAX_DAYS, QUERY_CHARACTERS
from inspector.archive.models import RetentionClock
from inspector.archive.receipts import ReceiptFilters, parse_sha256

CLOCKS = (
    (RetentionClock.CAPTURES.value, "captures, since they arrived"),
    (RetentionClock.BODIES.value, "bodies of captures, since they arrived"),
    (RetentionClock.TOMBSTONES.value, "receipts of deleted captures, since the deletion"),
)


def _query(identifier: str, help_text: str) -> forms.CharField:
    return forms.CharField(
        label="Query",
        required=False,
        max_length=QUERY_CHARACTERS,
        help_text=help_text,
        widget=forms.TextInput(attrs={"id": identifier, "autocomplete": "off", "size": 40}),
    )


class RuleForm(forms.Form):
    clock = forms.ChoiceField(label="Delete", choices=CLOCKS)
    query = _query("id_rule_query", "As in the archive, such as result:error size>1MB; empty: all.")
    days = forms.IntegerField(
        label="After days",
        min_value=1,
        max_value=MAX_DAYS,
        widget=forms.NumberInput(attrs={"id": "id_rule_days"}),
    )


class ReceiptForm(forms.Form):
    """Finds the receipt of one deleted capture, or those of the same bytes; empty: all."""

    find = forms.CharField(
        label="Id or SHA-256",
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "size": 40}),
    )

    def clean_find(self) -> ReceiptFilters:
        text = self.cleaned_data["find"]
        if not text:
            return ReceiptFilters()
        if sha256 := parse_sha256(text):
            return ReceiptFilters(sha256=sha256)
        try:
            return ReceiptFilters(UUID(text))
        except ValueError as error:
            raise forms.ValidationError(
                "This is no whole id of a capture and no SHA-256."
            ) from error
