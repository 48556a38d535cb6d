"""The examples of the README, as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from service import Service

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", README, re.MULTILINE | re.DOTALL)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs_and_prints_what_it_says(service: Service, number: int) -> None:
    code, shown = EXAMPLES[number]
    code = code.replace("http://localhost:3000", service.url).replace("cda_live_…", service.api_key)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    if shown:
        assert run.stdout.strip() == shown.strip()
