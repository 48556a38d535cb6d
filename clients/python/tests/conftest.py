"""Fixtures of the tests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from service import Service, start_service


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """One service for all tests."""
    with start_service() as running:
        yield running


@pytest.fixture(scope="session")
def writer_key(service: Service) -> str:
    """The key of the customer `writer`, so that other tests find the records that they expect."""
    service.certdata("customers", "add", "writer", "--name", "Writer", "--plan", "premium")
    key: str = json.loads(service.certdata("keys", "issue", "writer", "--json"))["api_key"]
    return key


@pytest.fixture(params=["Client", "AsyncClient"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each of the two clients."""
    name: str = request.param
    return name


@pytest.fixture
def anyio_backend() -> str:
    """The loop that the tests run in."""
    return "asyncio"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add the counts in the form that the project's gate reads."""
    if not os.environ.get("CERTDATA_COUNTS"):
        return
    stats = terminalreporter.stats
    counts = {
        "pass": len(stats.get("passed", [])),
        "fail": len(stats.get("failed", [])) + len(stats.get("error", [])),
        "skip": len(stats.get("skipped", [])),
    }
    rows = ", ".join(f"{name}: {count}" for name, count in counts.items())
    terminalreporter.write_line(f"# {{ total: {sum(counts.values())}, {rows} }}")
