"""The load of a soak: clients that write, watch and run Jobs, and keep the model of what they were told."""

import http.client
import json
import random
import threading

from api_client import ApiClient, Refused
from model import Broken

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
BACKGROUND = {"propagationPolicy": "Background"}
GONE = (OSError, http.client.HTTPException)
JOBS_MAX = 10
NAMES = 30  # of each writer


class Gate:
    """Open while a server is there to be asked. close() returns when no client is at work any more."""

    def __init__(self):
        self.condition = threading.Condition()
        self.is_open, self.ended, self.busy, self.failure = False, False, 0, None

    def open(self):
        with self.condition:
            self.is_open = True
            self.condition.notify_all()

    def close(self):
        with self.condition:
            self.is_open = False
            if not self.condition.wait_for(lambda: self.busy == 0, timeout=60):
                raise Broken("a client waits for an answer of a server that is gone")
        if self.failure:
            raise self.failure

    def end(self):
        with self.condition:
            self.ended = True
            self.condition.notify_all()

    def __enter__(self):
        with self.condition:
            self.condition.wait_for(lambda: self.is_open or self.ended)
            self.busy += 1
            return not self.ended

    def __exit__(self, kind, problem, trace):
        with self.condition:
            self.busy -= 1
            self.condition.notify_all()
            if problem is not None and not isinstance(problem, GONE):
                self.failure = self.failure or problem
                self.ended = True
                self.condition.notify_all()
        return True  # close() tells of it


class Client(threading.Thread):
    """Does step() again and again while the gate is open. A connection that ends is made again."""

    def __init__(self, soak):
        super().__init__(daemon=True)
        self.soak, self.api, self.starts = soak, None, 0
        self.choice = random.Random(soak.choice.random())

    def run(self):
        while not self.soak.gate.ended:
            with self.soak.gate as is_open:
                if is_open:
                    self.connect()
                    self.step()
        self.disconnect()

    def connect(self):
        """A connection to a server that is gone would make the next write uncertain."""
        if self.api is None or self.starts != self.soak.server_starts:
            self.starts = self.soak.server_starts
            self.disconnect()
            self.api = ApiClient(self.soak.server.port, self.soak.tls, timeout=30)

    def disconnect(self):
        if self.api:
            self.api.close()
        self.api = None

    def write(self, model, method, target, name, value, body):
        """One write with what its answer says put into the model. Gives whether it was answered with a success."""
        with self.soak.lock:
            before = model.begin(name, value)
        try:
            answer = self.api.ask(method, target, body)
        except Refused as refused:
            if refused.code == 429:
                with self.soak.lock:
                    model.refuse(name, value)
                return False
            raise Broken(f"{method} {target}: {refused}") from refused
        revision = None if method == "DELETE" else int(answer["metadata"]["resourceVersion"])
        with self.soak.lock:
            model.acknowledge(name, value, revision, before)
        return True


class Writer(Client):
    """Creates, changes and deletes ConfigMaps whose names are its own."""

    def __init__(self, soak, number):
        super().__init__(soak)
        self.number, self.count = number, 0

    def step(self):
        model = self.soak.config_maps
        name = f"map-{self.number}-{self.choice.randrange(NAMES)}"
        target = f"{CONFIG_MAPS}/{name}"
        with self.soak.lock:
            values = set(model.of(name).values)
        if len(values) > 1:
            return  # told at the next start
        self.count += 1
        value = f"{self.number}.{self.count}." + "x" * self.choice.choice([0, 10, 2000])
        body = {"metadata": {"name": name}, "data": {"value": value}}
        if values == {None}:
            self.write(model, "POST", CONFIG_MAPS, name, value, body)
        elif self.choice.random() < 0.2:
            self.write(model, "DELETE", target, name, None, None)
        else:
            self.write(model, "PUT", target, name, value, body)


class Watcher(Client):
    """Watches the ConfigMaps from where the last list ended. Every event was durable before it was told."""

    def step(self):
        at = self.soak.watch_from
        for kind, item in self.api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={at}&timeoutSeconds=20"):
            if kind == "ERROR":
                if item.get("code") != 410:
                    raise Broken(f"a watch from {at} ended with {item}")
                return
            revision = int(item["metadata"]["resourceVersion"])
            if revision <= at:
                raise Broken(f"a watch went back from {at} to {revision}")
            at = self.soak.watch_from = revision
            value = None if kind == "DELETED" else item["data"]["value"]
            if item["metadata"]["name"].startswith("map-"):
                with self.soak.lock:
                    self.soak.events += 1
                    self.soak.config_maps.observe(item["metadata"]["name"], value, revision)

    def connect(self):
        self.disconnect()  # a watch that was left unread cannot be asked again
        super().connect()


class Runner(Client):
    """Makes Jobs of real processes, deletes some while they run, and the others once the soak has checked them."""

    def __init__(self, soak):
        super().__init__(soak)
        self.count = 0

    def step(self):
        with self.soak.lock:
            model = self.soak.jobs
            certain = [it for it, known in model.objects.items() if known.values == {"there"}]
            over = [it for it in certain if it in self.soak.checked or it in self.soak.abandoned]
            crowd = sum(known.values != {None} for known in model.objects.values())
        if over:
            self.delete(over[0])
        elif crowd < JOBS_MAX and not self.soak.draining:
            self.create()
        elif self.choice.random() < 0.02 and certain and not self.soak.draining:
            self.delete(self.choice.choice(certain))
        else:
            self.soak.gate_pause.wait(0.01)  # nothing to do until pods have ended or the server is killed

    def delete(self, name):
        self.soak.abandoned.add(name)  # how far it came is not known
        self.write(self.soak.jobs, "DELETE", f"{JOBS}/{name}", name, None, BACKGROUND)

    def create(self):
        self.count += 1
        kind = self.choice.choices(list(KINDS), [4, 4, 2, 1])[0]
        name = f"{kind}-{self.count}"
        self.write(self.soak.jobs, "POST", JOBS, name, "there", job(kind, name, self.soak.folder, self.choice))


# What a Job of each kind must have come to: its indexes, runs of each, and status.
KINDS = {
    "plain": {"indexes": [""], "attempts": 1, "succeeded": 1},
    "indexed": {"indexes": list("0123"), "attempts": 1, "succeeded": 4},
    "failing": {"indexes": list("012"), "attempts": 1, "succeeded": 2, "failed": 1, "failedIndexes": "1"},
    "again": {"indexes": [""], "attempts": 2, "succeeded": 1},
}


def job(kind, name, folder, choice):
    pause = choice.choice(["", "sleep 0.05; ", "sleep 0.2; "])
    script = f'echo "$MUSTER_RUN {name} $JOB_COMPLETION_INDEX" >> {folder}/starts; {pause}'
    spec = {"backoffLimit": 0}
    if kind == "indexed":
        spec.update(completionMode="Indexed", completions=4, parallelism=choice.choice([2, 4]))
    elif kind == "failing":
        spec = {"completionMode": "Indexed", "completions": 3, "parallelism": 3, "backoffLimitPerIndex": 0,
                "maxFailedIndexes": 3}
        script += "[ $JOB_COMPLETION_INDEX != 1 ] || exit 3"
    elif kind == "again":
        spec = {"backoffLimit": 6}
        script += "case $MUSTER_RUN in */0) exit 1;; esac"
    spec["template"] = {"spec": {
        "restartPolicy": "OnFailure" if kind == "again" else "Never", "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "c", "image": "none", "command": ["sh", "-c", script]}]}}
    return json.loads(json.dumps({"metadata": {"name": name}, "spec": spec}))
