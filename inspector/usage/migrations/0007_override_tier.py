from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0006_price_missing")]

    operations = [
        migrations.AddField(
            "priceoverride",
            "tier",
            models.CharField(db_default="standard", default="standard", max_length=63, null=True),
        ),
    ]
