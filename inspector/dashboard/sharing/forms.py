"""The form that makes a share."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from inspector.sharing.document.passage_masks import (
    MAX_CHARACTERS,
    MAX_PASSAGES,
    MIN_CHARACTERS,
)
from inspector.sharing.document.withheld import Withheld
from inspector.sharing.terms import MAX_VIEWS, USUAL_DAYS, USUAL_VIEWS, ShareTerms

LIFETIMES = (("1", "in a day"), ("7", "in 7 days"), ("30", "in 30 days"), ("365", "in a year"))


class ShareForm(forms.Form):
    days = forms.ChoiceField(label="Ends", choices=LIFETIMES, initial=str(USUAL_DAYS))
    max_views = forms.IntegerField(
        label="Views, at most", min_value=1, max_value=MAX_VIEWS, initial=USUAL_VIEWS
    )
    without_prompt = forms.BooleanField(label="Without the prompt", required=False, initial=True)
    without_texts = forms.BooleanField(
        label="Without texts: lengths, times and findings only", required=False
    )

    passages = forms.CharField(
        label="Mask these passages, one per line",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, sent: QueryDict | None = None) -> None:
        # The page of a capture has several forms: each field has an id of its own for its label.
        super().__init__(sent, auto_id="id_share_%s")

    def clean_passages(self) -> tuple[str, ...]:
        lines = [line.strip() for line in self.cleaned_data["passages"].splitlines()]
        passages = tuple(dict.fromkeys(line for line in lines if line))
        if len(passages) > MAX_PASSAGES:
            raise ValidationError(f"At most {MAX_PASSAGES} passages are masked.")
        if any(not MIN_CHARACTERS <= len(each) <= MAX_CHARACTERS for each in passages):
            raise ValidationError(
                f"A passage has {MIN_CHARACTERS} to {MAX_CHARACTERS:,} characters."
            )
        return passages

    @property
    def terms(self) -> ShareTerms:
        values = self.cleaned_data
        return ShareTerms(
            timedelta(days=int(values["days"])),
            values["max_views"],
            Withheld(values["without_prompt"], values["without_texts"], values["passages"]),
        )
