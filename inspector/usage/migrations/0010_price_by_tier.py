from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("usage", "0009_price_tier")]

    operations = [
        AddIndexBesideWriters(
            model_name="price",
            index=models.Index(
                fields=["team", "service_tier", "-received_at", "-capture"], name="price_by_tier"
            ),
        ),
        AddIndexBesideWriters(
            model_name="price",
            index=models.Index(
                fields=["team", "fingerprint", "-received_at", "-capture"],
                name="price_by_fingerprint",
            ),
        ),
    ]
