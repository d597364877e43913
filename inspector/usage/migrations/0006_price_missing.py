from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0005_price_narrowing")]

    operations = [
        migrations.AddField("price", "missing", models.CharField(max_length=300, null=True)),
    ]
