"""Forms of the audit log's page."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms

from inspector.teams.audit_filters import AuditFilters
from inspector.teams.audit_settings import MAX_DAYS, MIN_DAYS

ANYTHING = ("", "anything")
WHO_CHARACTERS = 200
"""The width of the column of which it is a part."""


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label, required=False, widget=forms.DateInput(attrs={"type": "date"})
    )


class AuditFilterForm(forms.Form):
    """A form for who, what and when; ``words`` has a sentence part for each act."""

    who = forms.CharField(label="Who", required=False, max_length=WHO_CHARACTERS)
    what = forms.ChoiceField(label="Did", required=False)
    first = _day("From")
    last = _day("To")

    def __init__(self, words: Mapping[str, str], data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.fields["what"].choices = [  # type: ignore[attr-defined]
            ANYTHING,
            *sorted(((str(act), told) for act, told in words.items()), key=lambda each: each[1]),
        ]

    @property
    def filters(self) -> AuditFilters:
        found = self.cleaned_data
        return AuditFilters(found["who"], found["what"], found["first"], found["last"])

    @property
    def query(self) -> str:
        """The filters as a query string, to lead on with."""
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})


class AuditSettingsForm(forms.Form):
    days = forms.IntegerField(
        label="Days that an entry is kept",
        min_value=MIN_DAYS,
        max_value=MAX_DAYS,
        widget=forms.NumberInput(attrs={"id": "id_audit_days"}),
    )
