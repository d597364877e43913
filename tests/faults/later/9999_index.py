from importlib import import_module

from django.db import migrations, models

AddIndexBesideWriters = import_module(
    "inspector.archive.migrations.0004_inspection_behind"
).AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "9998_column")]

    operations = [
        AddIndexBesideWriters(
            "capture", models.Index(fields=["later", "id"], name="capture_later")
        ),
    ]
