"""A git host on loopback: git's own ``http-backend`` behind Python's server, with a token, a gate and a memory."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    # A commit would start the upkeep of a repository that lives for a second.
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_VALUE_1": "none",
}


def run_git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, env=ENV, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@dataclass
class Host:
    """What the server does and saw. ``gate`` closed: it stops in the middle of each pack until the gate opens."""

    root: Path
    url: str = ""
    token: str | None = None
    status: int | None = None
    modern: bool = True
    gate: threading.Event = field(default_factory=threading.Event)
    in_the_middle: threading.Event = field(default_factory=threading.Event)
    requests: list[str] = field(default_factory=list)
    authorized: list[tuple[str, str | None]] = field(default_factory=list)
    elsewhere: str | None = None

    def packs(self) -> int:
        """Return how many packs were sent."""
        return self.requests.count("pack")


class _Handler(BaseHTTPRequestHandler):
    host: Host

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self._answer(body)

    def _answer(self, body: bytes) -> None:
        host, sent = self.host, self.headers.get("Authorization")
        host.authorized.append((self.headers.get("Host", ""), sent))
        expected = "Basic " + base64.b64encode(f"x-access-token:{host.token}".encode()).decode()
        if host.status is not None:
            self._refuse(host.status)
            return
        if host.elsewhere is not None and not self.headers.get("Host", "").startswith("localhost"):
            self._refuse(302, Location=host.elsewhere + self.path)
            return
        if host.token is not None and sent != expected:
            self._refuse(401)
            return
        path, _, query = self.path.partition("?")
        is_pack = self.command == "POST" and (b"command=fetch" in body or b"want " in body)
        host.requests.append("pack" if is_pack else "list")
        reply = subprocess.run(
            ["git", "http-backend"],
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **ENV,
                "GIT_PROJECT_ROOT": str(host.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", "") if host.modern else "",
            },
        ).stdout
        head, _, content = reply.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        half = len(content) // 2 if is_pack else 0
        self.wfile.write(content[:half])
        self.wfile.flush()
        if is_pack:
            host.in_the_middle.set()
            host.gate.wait(20)
        self.wfile.write(content[half:])

    def _refuse(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """A client that was killed is part of the tests."""


@pytest.fixture(scope="session")
def upstream_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits on ``main``, a branch, two tags and a pull request's ref."""
    path = tmp_path_factory.mktemp("upstream")
    run_git(path, "init", "-q", "--template=", "-b", "main")
    run_git(path, "config", "uploadpack.allowFilter", "true")
    for number in (1, 2):
        commit(path, f"Commit {number}")
        run_git(path, "tag", f"v{number}")
    run_git(path, "branch", "release/1")
    run_git(path, "update-ref", "refs/pull/7/head", "HEAD")
    return path


@pytest.fixture
def upstream(tmp_path: Path, upstream_template: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(upstream_template, tmp_path / "host" / "owner" / "name.git"))


def commit(path: Path, subject: str) -> str:
    (path / "file").write_text(f"{subject}\n")
    run_git(path, "add", "file")
    run_git(path, "commit", "-q", "-m", subject)
    return (path / ".git/refs/heads/main").read_text().strip()


@pytest.fixture
def add_commit(upstream: Path) -> Callable[[str], str]:
    return lambda subject: commit(upstream, subject)


@pytest.fixture
def git() -> Callable[..., str]:
    return run_git


@pytest.fixture
def host(tmp_path: Path, upstream: Path) -> Iterator[Host]:
    host = Host(root=tmp_path / "host")
    host.gate.set()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"host": host}))
    host.url = f"http://127.0.0.1:{server.server_port}/owner/name.git"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield host
    host.gate.set()
    server.shutdown()
    server.server_close()
    thread.join()
