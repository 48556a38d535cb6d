"""Reads the dashboard into Grafana's own types and back: what they do not know, or take otherwise, is printed."""

import json
import sys

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

# Of newer versions than these types.
KNOWN_LOST = {"definition", "titleFormat"}
faults = []


def compare(given, taken, path):
    if isinstance(given, dict) and isinstance(taken, dict):
        for name, value in given.items():
            if name in taken:
                compare(value, taken[name], f"{path}/{name}")
            elif name not in KNOWN_LOST:
                faults.append(f"{path}/{name}: nobody reads it")
    elif isinstance(given, list) and isinstance(taken, list) and len(given) == len(taken):
        for index, value in enumerate(given):
            compare(value, taken[index], f"{path}/{index}")
    elif given != taken:
        faults.append(f"{path}: {given!r} is taken for {taken!r}")


with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
compare(given, json.loads(JSONEncoder().encode(Dashboard.from_json(given))), "")
print("\n".join(faults))
sys.exit(1 if faults else 0)
