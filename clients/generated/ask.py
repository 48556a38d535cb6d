"""Asks a running service through the generated client, and fails where the answer is none."""

import sys

import certdata_client as certdata

configuration = certdata.Configuration(host=sys.argv[1], access_token=sys.argv[2])
with certdata.ApiClient(configuration) as client:
    certificates = certdata.CertificatesApi(client)
    page = certificates.list_certificates(limit=2, validity="valid", valid_until_lt="today+3650d")
    assert len(page.data) == 2 and page.page.has_more, page
    follow = certificates.list_certificates(
        limit=2, validity="valid", valid_until_lt="today+3650d", cursor=page.page.next_cursor
    )
    assert follow.data[0].id not in [each.id for each in page.data], follow
    one = certificates.get_certificate(page.data[0].id)
    assert one.data.number == page.data[0].number, one
    assert certdata.AccountApi(client).get_me().data.customer, "no customer"
    assert certdata.ChangesApi(client).follow_changes().page.next_token, "no token"
    try:
        certificates.get_certificate("nothing-here")
        raise AssertionError("a record that there is not")
    except certdata.exceptions.NotFoundException as error:
        assert error.data.code == "not_found", error
