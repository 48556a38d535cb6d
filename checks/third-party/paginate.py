"""Walk a list of the service with dlt's REST client. Print the ids as JSON."""

import json
import os

from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import BearerTokenAuth
from dlt.sources.helpers.rest_client.paginators import HeaderLinkPaginator, JSONResponseCursorPaginator

PAGINATORS = {
    "link": lambda: HeaderLinkPaginator(),
    "cursor": lambda: JSONResponseCursorPaginator(cursor_path="page.next_cursor", cursor_param="cursor"),
}

client = RESTClient(
    base_url=os.environ["SERVICE_URL"],
    auth=BearerTokenAuth(token=os.environ["TOKEN"]),
    paginator=PAGINATORS[os.environ["PAGINATOR"]](),
    data_selector="data",
)
pages = [[record["id"] for record in page] for page in client.paginate(os.environ["LIST"])]
print(json.dumps(pages))
