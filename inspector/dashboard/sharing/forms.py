"""The form that makes a share."""

from datetime import timedelta

from django import forms
from django.http import QueryDict

from inspector.sharing.shares import USUAL_DAYS, ShareTerms

LIFETIMES = (("1", "in a day"), ("7", "in 7 days"), ("30", "in 30 days"), ("365", "in a year"))


class ShareForm(forms.Form):
    days = forms.ChoiceField(label="Ends", choices=LIFETIMES, initial=str(USUAL_DAYS))
    without_prompt = forms.BooleanField(label="Without the prompt", required=False, initial=True)

    def __init__(self, sent: QueryDict | None = None) -> None:
        # The page of a capture has several forms: each field has an id of its own for its label.
        super().__init__(sent, auto_id="id_share_%s")

    @property
    def terms(self) -> ShareTerms:
        life = timedelta(days=int(self.cleaned_data["days"]))
        return ShareTerms(life, self.cleaned_data["without_prompt"])
