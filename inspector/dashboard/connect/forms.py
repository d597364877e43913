"""The form that makes a key where it is needed."""

from __future__ import annotations

from django import forms

from inspector.dashboard.connect.ways import WaySlug

KEY_NAME_CHARACTERS = 100


class ServiceKeyForm(forms.Form):
    name = forms.CharField(label="Service", max_length=KEY_NAME_CHARACTERS)
    way = forms.ChoiceField(choices=[(each.value, each.value) for each in WaySlug])
