"""What the tests of the corpora share."""

from collections.abc import Iterator

import pytest

from tests.corpora.loopback_server import Server


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server without files, which no proxy stands before."""
    monkeypatch.setenv("no_proxy", "*")
    server = Server({})
    yield server
    server.close()
