"""A proxy whose connections tests can cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Door:
    """Forwards connections to `target`, a port of localhost."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._lock = threading.Lock()
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def connections(self) -> int:
        """Number of open connections."""
        with self._lock:
            return len(self._pairs)

    def cut(self) -> None:
        """End every open connection. New ones are still accepted."""
        with self._lock:
            for pair in self._pairs:
                _shut(*pair)

    def close(self) -> None:
        """Accept no more connections, and end the open ones."""
        _shut(self._server)
        self._server.close()
        self.cut()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                try:
                    target = socket.create_connection(("localhost", self._target))
                except OSError:
                    client.close()
                    continue
                pair = client, target
                with self._lock:
                    self._pairs.add(pair)
                for one, other in (pair, pair[::-1]):
                    threading.Thread(target=self._pipe, args=(one, other, pair), daemon=True).start()

    def _pipe(self, one: socket.socket, other: socket.socket, pair: tuple[socket.socket, socket.socket]) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        _shut(*pair)
        with self._lock:
            if pair in self._pairs:
                self._pairs.remove(pair)
            else:
                # Both directions have ended.
                one.close()
                other.close()


def _shut(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def open_door(target: int) -> Iterator[Door]:
    """Open a door until the end of the block."""
    door = Door(target)
    try:
        yield door
    finally:
        door.close()
