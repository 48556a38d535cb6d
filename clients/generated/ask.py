"""Requests records from a running service through the Python client of OpenAPI Generator."""

import json
import sys

import certdata_client as certdata
from certdata_client.models.prefix_filter import PrefixFilter
from certdata_client.models.range_filter import RangeFilter


class FilterClient(certdata.ApiClient):
    """Sends the members of a filter as parameters. The generated client sends one JSON text."""

    def parameters_to_url_query(self, params, collection_formats):
        pairs = []
        for name, value in params:
            if isinstance(value, dict):
                pairs += [(f"{name}[{operator}]", each) for operator, each in value.items()]
            else:
                pairs.append((name, value))
        return super().parameters_to_url_query(pairs, collection_formats)


configuration = certdata.Configuration(host=sys.argv[1], access_token=sys.argv[2])
with FilterClient(configuration) as client:
    certificates = certdata.CertificatesApi(client)
    ending = certificates.list_certificates(valid_until=RangeFilter(lt="2027-01-01"))
    assert [each.id for each in ending.data] == ["ending"], ending
    page = certificates.list_certificates(limit=1)
    assert len(page.data) == 1 and page.page.has_more, page
    follow = certificates.list_certificates(limit=1, cursor=page.page.next_cursor)
    assert follow.data[0].id not in [each.id for each in page.data], follow
    one = certificates.get_certificate(page.data[0].id)
    assert one.data.number == page.data[0].number, one
    assert certdata.AccountApi(client).get_me().data.customer, "no customer"
    changes = certdata.ChangesApi(client).follow_changes(after=sys.argv[3], resources="products")
    name = PrefixFilter(prefix="Acme")
    narrowed = certdata.ChangesApi(client).follow_changes(resources="products", name=name, fields="name")
    assert narrowed.page.next_token != sys.argv[3], narrowed
    product = certdata.Product.from_dict(changes.data[0].data)
    assert product.name.startswith("Acme"), changes
    try:
        certificates.get_certificate("nothing-here")
        raise AssertionError("expected 404")
    except certdata.exceptions.NotFoundException as error:
        assert error.data.code == "not_found", error
