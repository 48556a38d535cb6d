"""The service as a user starts it, on its bundled PostgreSQL in a temporary folder."""

from __future__ import annotations

import os
import platform
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def _node() -> str:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    bundled = ROOT / f"node_modules/node-{sys.platform}-{machine}/bin/node"
    return str(bundled) if bundled.exists() else "node"


@dataclass
class Service:
    """A running service."""

    url: str
    api_key: str
    environment: dict[str, str]
    process: subprocess.Popen[str]

    def certdata(self, *options: str) -> str:
        """Run an operator's command and return its output."""
        command = [_node(), "app/cli.ts", *options]
        run = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True)
        return run.stdout

    def restart(self) -> None:
        """Restart the service. Stopping it writes all counted reads to the audit trail."""
        stop(self.process)
        self.process, _ = _start(self.environment)


def _start(environment: dict[str, str]) -> tuple[subprocess.Popen[str], str]:
    """Return the ready process and its output. Raise if it exits."""
    command = [_node(), "app/server.js"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout
    output = ""
    while "npx --no certdata import" not in output:
        line = process.stdout.readline()
        if not line:
            process.communicate()
            raise RuntimeError(f"The service does not start:\n{output}")
        output += line
    return process, output


def stop(process: subprocess.Popen[str]) -> None:
    """Shut the process down cleanly."""
    process.terminate()
    process.communicate(timeout=30)


def _free_port() -> int:
    """Return a port below the ephemeral range, so that it stays free while the service restarts."""
    while True:
        port = random.randrange(12_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def start_service() -> Iterator[Service]:
    """Start it with example data and the customer `local`. Raise with its output if it exits."""
    folder = tempfile.mkdtemp(prefix="certdata-python-")
    # If root starts it, PostgreSQL runs as another user.
    os.chmod(folder, 0o755)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", folder),
        "LOG_LEVEL": "warn",
        "NODE_COMPILE_CACHE": str(ROOT / "node_modules/.cache/compiled"),
        "LIMIT_DEMO_BURST": "1000000",
        "LIMIT_DEMO_MINUTE": "1000000",
        "DATA_DIR": f"{folder}/data",
        "PORT": str(_free_port()),
    }
    try:
        process, output = _start(environment)
        key = re.search(r"cda_live_\w+", output)
        assert key
        service = Service(f"http://localhost:{environment['PORT']}", key[0], environment, process)
        try:
            service.certdata("import", "examples/records.ndjson", "--customer", "local")
            yield service
        finally:
            stop(service.process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
