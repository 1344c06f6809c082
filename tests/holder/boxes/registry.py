#!/usr/bin/env python3
"""A registry with one image, pulled over plain HTTP from 127.0.0.1: registry.py TAR PORT_FILE

Each line on its stdin makes the image anew, with that text in it. It ends with its stdin.
"""
import gzip
import hashlib
import http.server
import io
import json
import os
import sys
import tarfile
import threading

blobs, manifest = {}, b""


def keep(data):
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    blobs[digest] = data
    return digest


def make(text):
    """The tar's files and a file with the text, as one layer."""
    global manifest
    out = io.BytesIO()
    with tarfile.open(sys.argv[1]) as base, tarfile.open(fileobj=out, mode="w") as layer:
        for member in base:
            layer.addfile(member, base.extractfile(member) if member.isfile() else None)
        extra = tarfile.TarInfo("version")
        extra.size = len(text)
        layer.addfile(extra, io.BytesIO(text))
    plain = out.getvalue()
    packed = gzip.compress(plain, mtime=0)
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {},
                         "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]}}).encode()
    kind = "application/vnd.docker."
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": kind + "distribution.manifest.v2+json",
        "config": {"mediaType": kind + "container.image.v1+json", "size": len(config), "digest": keep(config)},
        "layers": [{"mediaType": kind + "image.rootfs.diff.tar.gzip", "size": len(packed), "digest": keep(packed)}]}).encode()
    keep(manifest)


class Registry(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        part = self.path.rsplit("/", 1)[-1]
        data, kind = b"{}", "application/json"
        if "/manifests/" in self.path:
            data = blobs.get(part, manifest)
            kind = "application/vnd.docker.distribution.manifest.v2+json"
        elif "/blobs/" in self.path:
            data, kind = blobs.get(part), "application/octet-stream"
        self.send_response(200 if data is not None else 404)
        data = data or b""
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256(data).hexdigest())
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    do_HEAD = do_GET


make(b"first")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(sys.argv[2] + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
for line in sys.stdin.buffer:
    make(line.strip())
    print("made", flush=True)
