"""The history of a cluster as etcd keeps it: every version of every object, also of writes whose answer was lost.

record(url, path) writes a line for each change: {"revision": 7, "key": "/registry/pods/default/a", "object": {…}};
without "object" the object is gone. `muster-sim --judge` reads it. The API server must have stored JSON
(--storage-media-type=application/json) and must not have compacted (--etcd-compaction-interval=0), and it must have
been stopped: the end of the history is marked by a key that it would not understand.
"""

import base64
import json
import urllib.request

JOBS, PODS = "/registry/jobs/", "/registry/pods/"


def encode(text):
    return base64.b64encode(text.encode()).decode()


def ask(url, path, question):
    request = urllib.request.Request(url + path, json.dumps(question).encode(), {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=120)


def tell(url, path, question):
    with ask(url, path, question) as answer:
        answer.read()


def changes(url, prefix):
    """All changes under the prefix, as (revision, key, object or None)."""
    behind = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    question = {"key": encode(prefix), "range_end": encode(behind), "start_revision": 1}
    tell(url, "/v3/kv/put", {"key": encode(prefix), "value": encode("end")})
    with ask(url, "/v3/watch", {"create_request": question}) as stream:
        for line in stream:
            result = json.loads(line)["result"]
            if result.get("canceled"):
                raise RuntimeError("etcd has compacted its history: " + result.get("cancel_reason", ""))
            for event in result.get("events", []):
                kv = event["kv"]
                key = base64.b64decode(kv["key"]).decode()
                if key == prefix:
                    return
                gone = event.get("type") == "DELETE"
                yield int(kv["mod_revision"]), key, None if gone else json.loads(base64.b64decode(kv["value"]))
    raise RuntimeError("etcd ended the watch before the end of its history")


def record(url, path, prefixes=(JOBS, PODS)):
    """Gives how many changes there were."""
    found = [change for prefix in prefixes for change in changes(url, prefix)]
    found.sort(key=lambda change: change[0])
    with open(path, "w", encoding="utf-8") as file:
        for revision, key, value in found:
            line = {"revision": revision, "key": key}
            if value is not None:
                line["object"] = value
            file.write(json.dumps(line) + "\n")
    return len(found)
