"""Forms about people and teams; offered choices are validated again on submission."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.password_validation import (
    validate_password,
)
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError

from inspector.teams.access import (
    CAPTURE,
    DELETE,
    EXPORT,
    FEEDBACK,
    INGEST,
    KEY_SCOPES,
    READ,
    TELEMETRY,
)
from inspector.teams.accounts import require_distinct
from inspector.teams.models import Role, User

NAME_CHARACTERS = 150
"""The width of Django's column."""
TEAM_NAME_CHARACTERS = 200
KEY_NAME_CHARACTERS = 100
"""The widths of our columns."""
# Far above what one proxy serves; who has several may want as many.
MAX_STREAMS_OF_A_KEY = 100_000
NO_EXPIRY = ""
KEY_LIFETIMES = (
    (NO_EXPIRY, "never"),
    ("7", "in 7 days"),
    ("30", "in 30 days"),
    ("90", "in 90 days"),
    ("365", "in a year"),
)
INVITATION_LIFETIMES = (("1", "in a day"), ("7", "in 7 days"), ("30", "in 30 days"))
SCOPE_LABELS = {
    INGEST: "ingest: send and annotate responses",
    READ: "read: list and fetch responses",
    FEEDBACK: "feedback: create and revoke tokens for votes",
    DELETE: "delete: delete or redact responses for good, and set rules that do",
    EXPORT: "export: fetch all responses of a query as one file, and make links to them",
    TELEMETRY: "telemetry: send spans of OpenTelemetry that tell of responses",
    CAPTURE: "capture: call providers through the proxy, and nothing else",
}


class PersonForm(forms.Form):
    """Validates a user name: not taken, and not confusable with one that is."""

    name = UsernameField(
        label="Name",
        max_length=NAME_CHARACTERS,
        validators=[UnicodeUsernameValidator()],
        help_text="For signing in: letters, digits and @ . + - _, such as an e-mail address.",
    )

    def __init__(self, *args: Any, person: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person
        self.fields["name"].widget.attrs.pop("autofocus", None)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        require_distinct(name, by_other_than=self.person)
        return name


class NewPersonForm(PersonForm):
    password = forms.CharField(
        label="Password (optional)",
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Without a password you sign in with links; you can set one later.",
    )

    def clean(self) -> None:
        if password := self.cleaned_data.get("password"):
            check_password_rules(
                self, "password", password, User(username=self.cleaned_data.get("name", ""))
            )


class PasswordForm(forms.Form):
    """Changing a password requires the old one; setting the first does not."""

    current = forms.CharField(
        label="Current password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new = forms.CharField(
        label="New password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label="New password again",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.person = person
        if not person.has_usable_password():
            del self.fields["current"]

    def clean_current(self) -> str:
        current: str = self.cleaned_data["current"]
        if not self.person.check_password(current):
            raise ValidationError("Wrong password.")
        return current

    def clean(self) -> None:
        new, again = self.cleaned_data.get("new"), self.cleaned_data.get("again")
        if new and again and new != again:
            self.add_error("again", "The passwords differ.")
        if new:
            check_password_rules(self, "new", new, self.person)


class TeamNameForm(forms.Form):
    # The team's page has several forms: each field has an id of its own for its label.
    name = forms.CharField(
        label="Team name",
        max_length=TEAM_NAME_CHARACTERS,
        widget=forms.TextInput(attrs={"id": "id_team_name"}),
    )


class KeyForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=KEY_NAME_CHARACTERS,
        widget=forms.TextInput(attrs={"id": "id_key_name", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="Permissions",
        choices=[(scope, SCOPE_LABELS[scope]) for scope in KEY_SCOPES],
        initial=[INGEST, READ],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.ChoiceField(
        label="Expires",
        choices=KEY_LIFETIMES,
        required=False,
        widget=forms.Select(attrs={"id": "id_key_days"}),
    )

    def clean_scopes(self) -> list[str]:
        scopes: list[str] = self.cleaned_data["scopes"]
        if CAPTURE in scopes and len(scopes) > 1:
            # It stands in addresses.
            raise ValidationError(f"A key with “{CAPTURE}” does nothing else: choose it alone.")
        return scopes

    @property
    def life(self) -> timedelta | None:
        days: str = self.cleaned_data["days"]
        return timedelta(days=int(days)) if days else None


class StreamsForm(forms.Form):
    """How many calls of a key may be open at once."""

    max_streams = forms.IntegerField(min_value=1, max_value=MAX_STREAMS_OF_A_KEY)


class RoleForm(forms.Form):
    """``grantable`` are the roles the user may assign."""

    role = forms.ChoiceField(label="Role")

    def __init__(self, grantable: Iterable[Role], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role.value, role.value) for role in grantable]

    @property
    def requested_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class InvitationForm(RoleForm):
    days = forms.ChoiceField(
        label="Expires",
        choices=INVITATION_LIFETIMES,
        initial="7",
        widget=forms.Select(attrs={"id": "id_invitation_days"}),
    )

    @property
    def life(self) -> timedelta:
        return timedelta(days=int(self.cleaned_data["days"]))


def check_password_rules(form: forms.Form, field: str, password: str, person: User) -> None:
    try:
        validate_password(password, person)
    except ValidationError as error:
        form.add_error(field, error)
