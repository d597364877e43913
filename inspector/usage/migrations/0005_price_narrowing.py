from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("usage", "0004_prices")]

    operations = [
        AddIndexBesideWriters(
            model_name="price",
            index=models.Index(
                fields=["team", "reason", "-received_at", "-capture"],
                condition=models.Q(("reason__isnull", False)),
                name="price_unknown",
            ),
        ),
        AddIndexBesideWriters(
            model_name="price",
            index=models.Index(
                fields=["team", "table", "-received_at", "-capture"],
                condition=models.Q(("reason__isnull", True)),
                name="price_by_table",
            ),
        ),
    ]
