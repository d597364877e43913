from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("feedback", "0001_votes")]

    operations = [
        AddIndexBesideWriters(
            model_name="tokenplace",
            index=models.Index(fields=["team", "-received_at"], name="token_newest"),
        ),
    ]
