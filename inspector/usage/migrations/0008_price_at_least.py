from django.db import migrations, models

from inspector.archive.indexing import AddIndexBesideWriters


class Migration(migrations.Migration):
    # An index alone: outside a transaction anything else is there before it is recorded.
    atomic = False

    dependencies = [("usage", "0007_override_tier")]

    operations = [
        AddIndexBesideWriters(
            model_name="price",
            index=models.Index(
                fields=["team", "-received_at", "-capture"],
                condition=models.Q(("missing__isnull", False)),
                name="price_at_least",
            ),
        ),
    ]
