from django.db import migrations, models
from django.db.models import Q

EMPTIED = ("usage_share", "usage_sum", "usage_octave", "usage_price")


class Migration(migrations.Migration):
    """Codes in columns of their own, where sums and prices bore sentences. What was counted before
    is counted when its capture is read again.
    """

    dependencies = [("usage", "0011_repricing_at_least")]

    operations = [
        migrations.RunSQL([f"DELETE FROM {table}" for table in EMPTIED]),
        migrations.RemoveConstraint("sum", "sum_once"),
        migrations.AlterField("sum", "measure", models.CharField(max_length=32)),
        migrations.AddField(
            "sum", "value", models.CharField(max_length=100, default=""), preserve_default=False
        ),
        migrations.AddConstraint(
            "sum",
            models.UniqueConstraint(
                fields=("team", "by", "span_seconds", "start", "series", "measure", "value"),
                name="sum_once",
            ),
        ),
        migrations.AlterField("price", "reason", models.CharField(max_length=32, null=True)),
        migrations.RemoveIndex("price", "price_at_least"),
        migrations.RemoveField("price", "missing"),
        migrations.AddField("price", "missing", models.JSONField(null=True)),
        migrations.AddIndex(
            "price",
            models.Index(
                fields=["team", "-received_at", "-capture"],
                condition=Q(missing__isnull=False),
                name="price_at_least",
            ),
        ),
    ]
