from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0008_price_at_least")]

    operations = [
        migrations.AddField("price", "service_tier", models.CharField(max_length=63, null=True)),
        migrations.AddField("price", "fingerprint", models.CharField(max_length=200, null=True)),
    ]
