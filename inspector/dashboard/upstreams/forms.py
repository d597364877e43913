"""Forms about upstreams; ``inspector.teams.team_upstreams`` judges what they bring."""

from collections.abc import Mapping
from typing import Any

from django import forms

from inspector.teams.team_upstreams import MAX_PERCENT, TeamUpstream, UpstreamTerms
from inspector.teams.upstream_presets import MAX_RESOURCE_CHARACTERS, TEMPLATES
from inspector.web.public_address import MAX_BASE_URL_CHARACTERS

MAX_NAME_CHARACTERS = 40
"""The width of the column."""
MAX_SITES_CHARACTERS = 6_000
"""Room for 20 origins of 255 characters, and the lines between them."""
_PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}


def _address_field() -> forms.CharField:
    return forms.CharField(
        label="Base URL",
        max_length=MAX_BASE_URL_CHARACTERS,
        strip=False,
        widget=forms.TextInput(
            attrs={**_PLAIN, "size": "36", "placeholder": "https://llm.example/api"}
        ),
    )


class NewUpstreamForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=MAX_NAME_CHARACTERS,
        strip=False,
        widget=forms.TextInput(attrs={**_PLAIN, "id": "id_upstream_name"}),
    )
    address = _address_field()


class ResourceForm(forms.Form):
    """An upstream by a template: what the customer has at a provider."""

    template = forms.ChoiceField(
        label="Provider",
        choices=[(each.name, f"{each.title}, by {each.resource}") for each in TEMPLATES.values()],
    )
    resource = forms.CharField(
        label="Resource or region",
        max_length=MAX_RESOURCE_CHARACTERS,
        strip=False,
        widget=forms.TextInput(attrs={**_PLAIN, "placeholder": "contoso-eu"}),
    )


class TermsForm(forms.Form):
    """The settings of an upstream that an administrator may change; the address of a preset is not
    among them.
    """

    address = _address_field()
    sample_percent = forms.IntegerField(
        label="Calls kept, per cent",
        min_value=0,
        max_value=MAX_PERCENT,
        help_text="Failed calls are always kept.",
    )
    keeps_other = forms.BooleanField(
        label="Keep other calls, too",
        required=False,
        help_text="Lists of models, embeddings, files: without a verdict, in no sum.",
    )
    sites = forms.CharField(
        label="Sites whose pages may call it",
        max_length=MAX_SITES_CHARACTERS,
        required=False,
        widget=forms.Textarea(
            attrs={**_PLAIN, "rows": "2", "placeholder": "https://app.example.org"}
        ),
        help_text="For calls from browsers; one a line.",
    )

    @property
    def terms(self) -> UpstreamTerms:
        fields = self.cleaned_data
        return UpstreamTerms(
            fields.get("address", ""),
            fields["sites"],
            fields["sample_percent"],
            fields["keeps_other"],
        )


def terms_form(upstream: TeamUpstream, data: Mapping[str, Any] | None = None) -> TermsForm:
    initial = {
        "address": upstream.base_url,
        "sample_percent": upstream.sample_percent,
        "keeps_other": upstream.keeps_other,
        "sites": "\n".join(upstream.sites),
    }
    form = TermsForm(data, initial=initial, auto_id=f"id_{upstream.name}_%s")
    if upstream.is_preset:
        del form.fields["address"]
    return form
