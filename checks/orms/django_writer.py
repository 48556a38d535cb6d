import json
import os
import sys

import django
from django.conf import settings
from django.db import connection, models

settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            **json.loads(os.environ["DATABASE"]),
        }
    },
    USE_TZ=True,
)
django.setup()


class Product(models.Model):
    pk = models.CompositePrimaryKey("customer_id", "id")
    customer_id = models.TextField()
    id = models.TextField()
    name = models.TextField()
    model = models.TextField(null=True)
    updated_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "erp"
        managed = False
        db_table = "products"


def read(product):
    return Product.objects.get(pk=product.pk)


product = Product(customer_id="acme", id="django", name="one")
product.save()
saved = read(product)

saved.save()
saved.save(force_update=True)
saved.save(update_fields=["name"])
assert Product.objects.filter(pk=saved.pk).update(name="one") == 1
_, created = Product.objects.update_or_create(
    customer_id="acme", id="django", defaults={"name": "one"}
)
assert not created
Product.objects.bulk_create(
    [Product(customer_id="acme", id="django", name="one")],
    update_conflicts=True,
    unique_fields=["customer_id", "id"],
    update_fields=["name"],
)
assert Product.objects.bulk_update([saved], ["name", "model"]) == 1
assert read(product).updated_at == saved.updated_at

saved.name = "two"
saved.save()
assert read(product).name == "two"
assert saved.delete()[0] == 1
print(f"Django {django.__version__}, Python {sys.version.split()[0]}, psycopg {connection.Database.__version__}")
