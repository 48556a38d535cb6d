"""Requests records from a running service through the client of openapi-python-client."""

import sys

from certdata_client import AuthenticatedClient
from certdata_client.api.certificates import get_certificate, list_certificates
from certdata_client.models import RangeFilter

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
# The members of a filter are sent without the name of the field, so the member has the whole name.
until = RangeFilter()
until["valid_until[lt]"] = "2027-01-01"
ending = list_certificates.sync(client=client, valid_until=until)
assert [each.id for each in ending.data] == ["ending"], ending
assert get_certificate.sync_detailed("nothing-here", client=client).status_code == 404
