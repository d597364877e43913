from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "0005_evidence_form")]

    operations = [
        AddIndexBesideWriters(
            model_name="inspection",
            index=models.Index(
                fields=["team", "-received_at", "-capture"], name="inspection_newest"
            ),
        ),
    ]
