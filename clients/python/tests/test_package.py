"""The wheel that the service sends."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

from service import ROOT, Service

PACKAGES = ROOT / "app/features/clients/packages"
WHEEL = next(
    each["file"] for each in json.loads((PACKAGES / "packages.json").read_text()) if each["language"] == "python"
)


def test_the_wheel_has_the_metadata_that_hatch_writes() -> None:
    built = distribution("certdata-client").read_text("METADATA")
    assert built
    with ZipFile(PACKAGES / WHEEL) as wheel:
        assert wheel.testzip() is None
        name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
        packed = wheel.read(name).decode()
    # The first line has the version of the format.
    assert packed.splitlines()[1:] == built.splitlines()[1:]


def test_pip_installs_the_client_from_the_service_in_an_empty_environment(service: Service, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path)], check=True)
    pip = [str(tmp_path / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"{service.url}/clients/{WHEEL}"], check=True, cwd=tmp_path)
    program = f"""
from certdata_client import Client
with Client("{service.url}", token="cda_demo_public") as client:
    print(client.products.get("prd-tracker-mini")["data"]["name"])
"""
    command = [str(tmp_path / "bin/python"), "-c", program]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "Tracker Mini"
