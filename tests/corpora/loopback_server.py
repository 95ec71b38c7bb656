"""A web server on the loopback that serves files and can go wrong in several ways."""

import re
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """Serves ``files``, byte strings by name.

    Attributes:
        files: What is served.
        ranges: Whether ranges of a file can be asked for.
        tags: Whether the server tells the version of a file.
        drop_after: By name, how many bytes each answer has before the connection is
            dropped.
        refusals: By name, status codes that the next answers have.
        requests: Names that were asked for, with the first byte asked for.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files, self.ranges, self.tags = files, True, True
        self.drop_after: dict[str, int] = {}
        self.refusals: dict[str, list[int]] = defaultdict(list)
        self.requests: list[tuple[str, int]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/mirror"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        name = request.path.rpartition("/")[2]
        start = self._start(request, name)
        self.requests.append((name, start))
        if self.refusals[name]:
            request.send_error(self.refusals[name].pop(0))
        elif name not in self.files:
            request.send_error(404)
        elif start and start >= len(self.files[name]):
            request.send_error(416)
        else:
            self._send(request, name, start)

    def _tag(self, name: str) -> str:
        return f'"{hash(self.files[name])}"'

    def _start(self, request: BaseHTTPRequestHandler, name: str) -> int:
        wanted = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        if wanted is None or not self.ranges or name not in self.files:
            return 0
        version = request.headers.get("If-Range")
        return int(wanted[1]) if version in (None, self._tag(name)) else 0

    def _send(self, request: BaseHTTPRequestHandler, name: str, start: int) -> None:
        content = self.files[name]
        request.send_response(206 if start else 200)
        if start:
            sent = f"bytes {start}-{len(content) - 1}/{len(content)}"
            request.send_header("Content-Range", sent)
        if self.tags:
            request.send_header("ETag", self._tag(name))
        request.send_header("Content-Length", str(len(content) - start))
        request.end_headers()
        length = self.drop_after.get(name, len(content))
        request.wfile.write(content[start : start + length])

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
