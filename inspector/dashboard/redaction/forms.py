"""Forms of the page of redaction rules."""

from django import forms
from django.http import QueryDict
from django.utils import timezone

from inspector.archive.background.retention_rules import QUERY_CHARACTERS
from inspector.archive.listing.filter_params import query_conditions
from inspector.archive.redaction_rules import TEXT_CHARACTERS, RedactionRuleStatus
from inspector.core.redaction_mark import MaskKind, Preset
from inspector.dashboard.text.query_mistakes import mistake_words
from inspector.formatting.redaction_mark import PRESET_TITLES, rule_title

ALL_RULES = "all"
WORD_HELP = (
    "* stands for letters and digits, # for one digit, ? for any character; between quotes"
    " everything is taken as it is. A path such as messages.*.content or **.password names values"
    " of JSON."
)
KINDS = (
    *((f"{MaskKind.PRESET}:{preset}", PRESET_TITLES[preset]) for preset in Preset),
    (MaskKind.WORD.value, "a word of our own"),
    (MaskKind.PATH.value, "a path into JSON"),
)


class RedactionRuleForm(forms.Form):
    what = forms.ChoiceField(label="Overwrite", choices=KINDS)
    text = forms.CharField(
        label="Word or path",
        required=False,
        max_length=TEXT_CHARACTERS,
        help_text=WORD_HELP,
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 40}),
    )

    @property
    def kind(self) -> MaskKind:
        return MaskKind(self.cleaned_data["what"].partition(":")[0])

    @property
    def rule_text(self) -> str:
        """The preset's name, or what was written."""
        preset = self.cleaned_data["what"].partition(":")[2]
        return str(preset or self.cleaned_data["text"])


class DryRunForm(forms.Form):
    rule = forms.ChoiceField(label="Rule")
    query = forms.CharField(
        label="Query",
        required=False,
        max_length=QUERY_CHARACTERS,
        help_text="As in the archive; empty: all captures.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 40}),
    )

    def __init__(
        self, rules: tuple[RedactionRuleStatus, ...], values: QueryDict | None = None
    ) -> None:
        super().__init__(values)
        choices = [
            (str(rule.id), f"{rule.id}: {rule_title(rule.kind, rule.text)}") for rule in rules
        ]
        field = self.fields["rule"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(ALL_RULES, "all rules"), *choices]

    def clean_query(self) -> str:
        query = str(self.cleaned_data["query"])
        self.conditions = query_conditions(query, timezone.now())
        if self.conditions.mistakes:
            raise forms.ValidationError(mistake_words(query))
        return query

    @property
    def rule_numbers(self) -> list[int] | None:
        """None: all of them."""
        wanted = self.cleaned_data["rule"]
        return None if wanted == ALL_RULES else [int(wanted)]
