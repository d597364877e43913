from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0010_price_by_tier")]

    operations = [
        migrations.AddField(
            "repricing", "before_at_least", models.BigIntegerField(db_default=0, default=0)
        ),
        migrations.AddField(
            "repricing", "after_at_least", models.BigIntegerField(db_default=0, default=0)
        ),
    ]
