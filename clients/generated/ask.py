"""Asks a running service through the generated client, and fails where the answer is none."""

import sys

import certdata_client as certdata

configuration = certdata.Configuration(host=sys.argv[1], access_token=sys.argv[2])
with certdata.ApiClient(configuration) as client:
    certificates = certdata.CertificatesApi(client)
    page = certificates.list_certificates(limit=1, approval_status="approved", created_at_gt="2020-01-01T00:00:00Z")
    assert len(page.data) == 1 and page.page.has_more, page
    follow = certificates.list_certificates(
        limit=1,
        approval_status="approved",
        created_at_gt="2020-01-01T00:00:00Z",
        cursor=page.page.next_cursor,
    )
    assert follow.data[0].id not in [each.id for each in page.data], follow
    one = certificates.get_certificate(page.data[0].id)
    assert one.data.number == page.data[0].number, one
    assert certdata.AccountApi(client).get_me().data.customer, "no customer"
    changes = certdata.ChangesApi(client).follow_changes(after=sys.argv[3], resources="products")
    narrowed = certdata.ChangesApi(client).follow_changes(resources="products", name_prefix="Acme", fields="name")
    assert narrowed.page.next_token != sys.argv[3], narrowed
    product = certdata.Product.from_dict(changes.data[0].data)
    assert product.name.startswith("Acme"), changes
    try:
        certificates.get_certificate("nothing-here")
        raise AssertionError("a record that there is not")
    except certdata.exceptions.NotFoundException as error:
        assert error.data.code == "not_found", error
