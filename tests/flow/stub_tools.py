"""Stand-ins for a server and for a benchmark client, as programs on a PATH, and a free port for them."""

from __future__ import annotations

import socket
import sys


def install(folder):
    """Write ``serve``, ``bench`` and ``syncbot`` into ``folder``."""
    folder.mkdir(parents=True)
    for name, text in (("serve", _SERVER), ("bench", _CLIENT), ("syncbot", _SYNCBOT)):
        (folder / name).write_text(f"#!{sys.executable}\n{text}")
        (folder / name).chmod(0o755)


def free_port():
    """Return a port nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


_SYNCBOT = "from syncbot.cli import main\nmain()\n"

_SERVER = """
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[3])), Answer).serve_forever()
"""

# Writes what a client would: figures that agree with each other, and the metadata it was given.
_CLIENT = """
import json, os, random, sys, urllib.request
port, model, concurrency, prompts, out, *tags = sys.argv[1:]
urllib.request.urlopen(f"http://127.0.0.1:{port}/")
told = dict(tag.split("=", 1) for tag in tags)
with open(os.environ["ORDER"], "a") as order:
    print(told["arm"], file=order)
asked, duration = int(prompts), random.uniform(0.999, 1.001)
json.dump({
    "model_id": model, "tokenizer_id": model, "num_prompts": asked, "completed": asked, "failed": 0,
    "max_concurrency": int(concurrency), "request_rate": "inf", "duration": duration, **told,
    "total_input_tokens": asked * int(told["isl"]), "total_output_tokens": asked * int(told["osl"]),
    "request_throughput": asked / duration, "output_throughput": asked * int(told["osl"]) / duration,
}, open(out, "w"))
"""
