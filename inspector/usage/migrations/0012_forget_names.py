from django.db import migrations
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat

NAMES = (
    "model",
    "request_model",
    "vendor",
    "dialect",
    "key_id",
    "service_tier",
    "fingerprint",
)
AT_ONCE = 500


def forget_names(apps, schema_editor):
    """Of series whose captures were all deleted."""
    connection = schema_editor.connection
    if connection.vendor == "postgresql":
        # Who has looked for a series and not stored yet is waited for.
        schema_editor.execute("LOCK TABLE usage_series IN ACCESS EXCLUSIVE MODE")
    series = apps.get_model("usage", "Series").objects.using(connection.alias)
    sums = apps.get_model("usage", "Sum").objects.using(connection.alias)
    used = set(sums.filter(measure="captures").values_list("series", flat=True).distinct())
    unused = sorted(set(series.values_list("pk", flat=True)) - used)
    gone = Concat(Value("gone "), Cast(F("pk"), CharField()))
    for at in range(0, len(unused), AT_ONCE):
        rows = series.filter(pk__in=unused[at : at + AT_ONCE])
        rows.update(digest=gone, **dict.fromkeys(NAMES))


class Migration(migrations.Migration):
    dependencies = [("usage", "0011_repricing_at_least")]

    operations = [migrations.RunPython(forget_names, migrations.RunPython.noop)]
