#!/usr/bin/env python3
"""An API server for the tests: keeps objects in memory and takes no request that Kubernetes' own document refuses.

usage: api_server.py OPENAPI PORT_FILE     speaks plain HTTP on 127.0.0.1; writes its port, and ends with its stdin

Every request must be a path, a method, query parameters and a body that the document knows; a wrong one is answered
422 and written to stderr. POST /control {"fail": …} asks for trouble, once each:
  {"gone": n}         the next n watches answer 410        {"conflict": n}   the next n PUTs answer 409
  {"unauthorized": t} bearer token t is not taken          {"silent": n}     the next n requests answer 503
  {"cut": n}          the next n watches end at once       {"phase": p}      the phase that new pods get
  {"channel": p}      the protocol that exec speaks from now on; "" takes none of those offered
"""
import http.server
import json
import re
import socketserver
import sys
import threading
import urllib.parse

import jsonschema

import exec_channel

document = json.load(open(sys.argv[1]))
lock = threading.Condition()
objects, history, trouble, violations, channels, insides = {}, [], {}, [], [], {}
version = 100


def strict(node):
    """The document leaves unknown members open; a request has none."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node and "additionalProperties" not in node:
            node["additionalProperties"] = False
        if node.get("format") == "int-or-string":
            node["type"] = ["string", "integer"]
        for value in node.values():
            strict(value)
    elif isinstance(node, list):
        for value in node:
            strict(value)


strict(document["definitions"])


def resolved(parameter):
    return document["parameters"][parameter["$ref"].split("/")[-1]] if "$ref" in parameter else parameter


def route_of(path):
    for pattern, route in document["paths"].items():
        if re.fullmatch(re.sub(r"\{[a-z]+\}", "[^/]+", pattern.rstrip("/")), path.rstrip("/")):
            return route
    return None


def complaint(method, path, query, body):
    route = route_of(path)
    if route is None:
        return f"no path {path}"
    operation = route.get(method.lower())
    if operation is None:
        return f"no {method} of {path}"
    known = {p["name"]: p for p in map(resolved, route.get("parameters", []) + operation.get("parameters", []))}
    for name in query:
        if known.get(name, {}).get("in") != "query":
            return f"no query parameter {name} of {method} {path}"
    wanted = next((p for p in known.values() if p["in"] == "body"), None)
    if body is None:
        return f"{method} {path} needs a body" if wanted and wanted.get("required") else None
    if wanted is None:
        return f"{method} {path} takes no body"
    schema = {**wanted["schema"], "definitions": document["definitions"]}
    errors = sorted(jsonschema.Draft4Validator(schema).iter_errors(body), key=str)
    return f"{method} {path}: {'/'.join(map(str, errors[0].absolute_path))}: {errors[0].message}" if errors else None


def takes(name):
    """Whether this trouble was asked for; one less of it then."""
    left = trouble.get(name, 0)
    if left:
        trouble[name] = left - 1
    return left > 0


def changed(kind, path, thing):
    global version
    version += 1
    thing["metadata"]["resourceVersion"] = str(version)
    history.append((version, kind, path.rsplit("/", 1)[0], json.loads(json.dumps(thing))))
    lock.notify_all()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, thing):
        text = json.dumps(thing).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, status, message):
        self.answer(status, {"kind": "Status", "status": "Failure", "message": message, "code": status})

    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(text) if text else None
        if url.path == "/control":
            with lock:
                trouble.update(body or {})
                state = {"violations": violations, "objects": sorted(objects), "channels": channels}
            return self.answer(200, state)
        with lock:
            if takes("silent"):
                return self.refuse(503, "the backend does not answer")
            if trouble.get("unauthorized") and self.headers.get("Authorization") == "Bearer " + trouble["unauthorized"]:
                return self.refuse(401, "Unauthorized")
            wrong = complaint(self.command, url.path, query, body)
            if wrong:
                violations.append(wrong)
                print(wrong, file=sys.stderr, flush=True)
                return self.refuse(422, wrong)
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.do_exec(url.path, urllib.parse.parse_qs(url.query))
        getattr(self, "do_" + self.command.lower())(url.path, query, body)

    def do_exec(self, path, query):
        with lock:
            pod = objects.get(path.rsplit("/", 1)[0])
            if not path.endswith("/exec") or not pod or pod["status"]["phase"] != "Running":
                return self.refuse(404, f"{path}: no pod runs there")
            wanted, uid = trouble.get("channel"), pod["metadata"]["uid"]
            if uid not in insides:
                insides[uid] = exec_channel.Pod()
            inside = insides[uid]
        exec_channel.serve(self, inside, query["command"], wanted, channels)

    do_GET = do_POST = do_PUT = do_DELETE = serve

    def do_get(self, path, query, _):
        if query.get("watch") == "true":
            return self.watch(path, query)
        with lock:
            if path in objects:
                return self.answer(200, objects[path])
            if re.search(r"/(pods|persistentvolumeclaims|networkpolicies|services)$", path):
                items = [thing for at, thing in sorted(objects.items()) if at.rsplit("/", 1)[0] == path and self.chosen(thing, query)]
                return self.answer(200, {"metadata": {"resourceVersion": str(version)}, "items": items})
        self.refuse(404, f"{path} not found")

    @staticmethod
    def chosen(thing, query):
        field, label = query.get("fieldSelector"), query.get("labelSelector")
        if field and field != "metadata.name=" + thing["metadata"]["name"]:
            return False
        labels = thing["metadata"].get("labels", {})
        return all(labels.get(w.partition("=")[0]) == w.partition("=")[2] if "=" in w else w in labels for w in (label or "").split(",") if w)

    def watch(self, path, query):
        with lock:
            gone, cut = takes("gone"), takes("cut")
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if gone:
            self.line({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old resource version"}})
        sent = int(query["resourceVersion"])
        while not gone and not cut:
            with lock:
                lock.wait_for(lambda: version > sent, timeout=min(5, int(query.get("timeoutSeconds", "5"))))
                news = [h for h in history if h[0] > sent and h[2] == path and self.chosen(h[3], query)]
                if not news and version == sent:
                    break
                sent = version
            try:
                for _, kind, _, thing in news:
                    self.line({"type": kind, "object": thing})
            except OSError:
                return
        self.wfile.write(b"0\r\n\r\n")

    def line(self, thing):
        text = json.dumps(thing).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.flush()

    def do_post(self, path, _, body):
        at = path + "/" + body["metadata"]["name"]
        with lock:
            if at in objects:
                return self.refuse(409, f"{at} already exists")
            thing = dict(body)
            thing["metadata"] = {**body["metadata"], "uid": f"uid-{version}"}
            if body["kind"] == "Pod":
                thing["status"] = {"phase": "Pending"}
            objects[at] = thing
            changed("ADDED", at, thing)
            self.answer(201, thing)
            if body["kind"] == "Pod":
                phase = trouble.get("phase", "Running")
                threading.Timer(0.2, self.run_pod, (at, thing["metadata"]["uid"], phase)).start()

    @staticmethod
    def run_pod(at, uid, phase):
        with lock:
            thing = objects.get(at)
            if thing and thing["metadata"]["uid"] == uid:
                ready = {"type": "Ready", "status": "True"}
                thing["status"] = {"phase": phase, "conditions": [ready], "containerStatuses": [{"imageID": "image-1"}]}
                changed("MODIFIED", at, thing)

    def do_put(self, path, _, body):
        with lock:
            found = objects.get(path)
            if found is None:
                return self.refuse(404, f"{path} not found")
            if takes("conflict") or body["metadata"].get("resourceVersion") != found["metadata"]["resourceVersion"]:
                changed("MODIFIED", path, found)
                return self.refuse(409, "the object has been modified")
            thing = dict(body)
            thing["metadata"] = {**found["metadata"], **body["metadata"]}
            objects[path] = thing
            changed("MODIFIED", path, thing)
            self.answer(200, thing)

    def do_delete(self, path, _, body):
        with lock:
            found = objects.get(path)
            if found is None:
                return self.refuse(404, f"{path} not found")
            uid = ((body or {}).get("preconditions") or {}).get("uid")
            if uid and uid != found["metadata"]["uid"]:
                return self.refuse(409, "the UID in the precondition is another's")
            del objects[path]
            if found["metadata"]["uid"] in insides:
                insides.pop(found["metadata"]["uid"]).end()
            changed("DELETED", path, found)
            self.answer(200, found)


class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Threads(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(sys.argv[2] + ".new", "w") as file:
    file.write(str(server.server_port))
import os

os.rename(sys.argv[2] + ".new", sys.argv[2])
sys.stdin.read()
