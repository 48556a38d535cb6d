"""Runs the examples of the README."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from service import Service
from test_helpers import make_signer

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", README, re.MULTILINE | re.DOTALL)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 11


@pytest.fixture(scope="module")
def values(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return values for the placeholders of the examples."""
    folder = tmp_path_factory.mktemp("readme")
    client_id, pem = make_signer(service, folder)
    (folder / "client-key.pem").write_text(pem)
    issued = json.loads(service.certdata("keys", "issue", "local", "--scopes", "audit:read", "--json"))
    return {
        "http://localhost:3000": service.url,
        "<client id>": client_id,
        "client-key.pem": str(folder / "client-key.pem"),
        "audit": issued["api_key"],
    }


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs_and_prints_what_it_says(
    service: Service, values: dict[str, str], tmp_path: Path, number: int
) -> None:
    code, shown = EXAMPLES[number]
    code = code.replace("cda_live_…", values["audit"] if "audit" in code else service.api_key)
    for name, value in values.items():
        code = code.replace(name, value) if name != "audit" else code
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    if shown:
        assert run.stdout.strip() == shown.strip()
