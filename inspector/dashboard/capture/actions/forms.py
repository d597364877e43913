"""Forms of the capture page: tags and a note."""

from django import forms
from django.core.exceptions import ValidationError

from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS


class TagsForm(forms.Form):
    """Tags, one per line, since a tag may contain any other character."""

    tags = forms.CharField(
        label="One tag per line", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )

    def clean_tags(self) -> list[str]:
        lines = self.cleaned_data["tags"].splitlines()
        tags = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
        if len(tags) > MAX_TAGS:
            raise ValidationError(f"A capture has at most {MAX_TAGS} tags; these are {len(tags)}.")
        long = next((tag for tag in tags if len(tag) > TAG_CHARACTERS), None)
        if long is not None:
            raise ValidationError(f"A tag has at most {TAG_CHARACTERS} characters: “{long}”.")
        return tags


class NoteForm(forms.Form):
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=NOTE_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_note(self) -> str:
        # Browsers submit every line end as CRLF.
        note: str = self.cleaned_data["note"]
        return note.replace("\r\n", "\n")
