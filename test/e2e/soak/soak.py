"""One slice of a soak: a server on a directory of its own that is killed at random moments of its work, its node helper
now and then, too, and after every start the check that nothing it told is lost, no revision went back, and no container
was started twice. scripts/soak adds slices up."""

import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "kubectl")]
from api_client import ApiClient, tls_of_kubeconfig  # noqa: E402
from load import CONFIG_MAPS, JOBS, KINDS, Gate, Runner, Watcher, Writer  # noqa: E402
from model import Broken, Model, Starts  # noqa: E402
from running_server import Server, end_node, node_helper  # noqa: E402

WRITERS = 2
PODS = "/api/v1/namespaces/default/pods"


class Soak:
    def __init__(self, muster, seed, moment_max=0.25):
        self.choice = random.Random(seed)
        self.moment_max = moment_max
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-soak-"))
        self.data = self.folder / "data"
        self.server = Server(muster, self.folder)
        self.lock, self.gate, self.gate_pause = threading.Lock(), Gate(), threading.Event()
        self.config_maps, self.jobs, self.starts = Model(), Model(), Starts()
        self.starts_read = 0
        self.checked, self.abandoned = set(), set()
        self.watch_from, self.events, self.draining, self.ended_jobs = 0, 0, False, 0
        self.kills = {"server": 0, "helper": 0}
        self.server_starts = 0
        self.server.start()
        self.tls = tls_of_kubeconfig(self.data / "kubeconfig")
        self.clients = [*(Writer(self, it) for it in range(WRITERS)), Watcher(self), Runner(self)]

    def counts(self):
        return {"server_kills": self.kills["server"], "helper_kills": self.kills["helper"],
                "acknowledged": self.config_maps.acknowledged + self.jobs.acknowledged, "events": self.events,
                "starts": len(self.starts.seen), "jobs": self.ended_jobs}

    def run(self, server_kills, helper_kills):
        """So many kills, then everything ends and is checked. Broken when a promise is."""
        self.check()
        for client in self.clients:
            client.start()
        victims = ["helper"] * helper_kills + ["server"] * server_kills
        self.choice.shuffle(victims)
        for victim in victims:
            self.gate.open()
            time.sleep(self.choice.uniform(0, self.moment_max))  # the moment to kill
            if victim == "helper":
                self.kill_helper()
            else:
                self.kill_server()
        self.finish()

    def kill_helper(self):
        if helper := node_helper(self.data):
            os.kill(helper, signal.SIGKILL)
            self.kills["helper"] += 1

    def kill_server(self):
        self.end_server()
        while self.choice.random() < 0.1:  # while it starts, as well
            self.server.spawn()
            time.sleep(self.choice.uniform(0, 0.08))
            self.end_server()
        self.gate.close()
        self.server.start()
        self.server_starts += 1
        self.check()

    def end_server(self):
        if self.server.process.poll() is not None:
            raise Broken(f"the server ended by itself with {self.server.process.returncode}")
        self.server.stop(signal.SIGKILL)
        self.kills["server"] += 1

    def check(self):
        """No other client writes ConfigMaps and Jobs now."""
        api = ApiClient(self.server.port, self.tls)
        maps, jobs = api.get(CONFIG_MAPS), api.get(JOBS)
        api.close()
        self.config_maps.check({it["metadata"]["name"]: (it["data"]["value"], int(it["metadata"]["resourceVersion"]))
                                for it in maps["items"] if it["metadata"]["name"].startswith("map-")},
                               int(maps["metadata"]["resourceVersion"]))
        self.jobs.check({it["metadata"]["name"]: ("there", int(it["metadata"]["resourceVersion"]))
                         for it in jobs["items"] if "deletionTimestamp" not in it["metadata"]},
                        int(jobs["metadata"]["resourceVersion"]))
        self.watch_from = max(self.watch_from, int(maps["metadata"]["resourceVersion"]))
        self.read_starts()
        for item in jobs["items"]:
            self.check_job(item)

    def read_starts(self):
        path = self.folder / "starts"
        if not path.exists():
            return
        with open(path, encoding="ascii") as file:
            file.seek(self.starts_read)
            text = file.read()
        whole = text[:text.rfind("\n") + 1]
        self.starts_read += len(whole)
        for line in whole.splitlines():
            self.starts.add(line)

    def check_job(self, item):
        """One that has ended has come to what its kind says, and each of its runs was started once."""
        name, status = item["metadata"]["name"], item.get("status", {})
        if name in self.checked or name in self.abandoned:
            return
        if not any(it["type"] in ("Complete", "Failed") and it["status"] == "True"
                   for it in status.get("conditions", [])):
            return
        expected = KINDS[name.split("-")[0]]
        for field in ("succeeded", "failed", "failedIndexes"):
            if status.get(field) != expected.get(field):
                raise Broken(f"{name} ended with {field} {status.get(field)}, not {expected.get(field)}: {status}")
        self.starts.check_job(name, expected["indexes"], expected["attempts"])
        self.checked.add(name)
        self.ended_jobs += 1

    def finish(self):
        """The Jobs that are there end, are checked and deleted, and nothing of them is left."""
        self.draining = True
        self.gate.open()
        deadline = time.monotonic() + 120
        api = ApiClient(self.server.port, self.tls)
        while True:
            self.read_starts()
            jobs = api.get(JOBS)["items"]
            self.read_starts()  # who is told to have ended has written before
            for item in jobs:
                self.check_job(item)
            if not jobs and not api.get(PODS)["items"] and not self.left_of_pods():
                break
            if time.monotonic() > deadline:
                raise Broken(f"left at the end: {[it['metadata']['name'] for it in jobs]} {self.left_of_pods()}")
            if self.gate.failure:
                break
            time.sleep(0.05)
        api.close()
        self.end_server()
        self.kills["server"] -= 1  # not one of those that were asked for
        self.gate.close()
        self.gate.end()

    def left_of_pods(self):
        pods = self.data / "node" / "pods"
        return [it.name for it in pods.iterdir()] if pods.exists() else []

    def close(self, keep):
        """`keep` is where the directory goes when it is evidence, None otherwise."""
        self.gate.end()
        self.server.stop(signal.SIGKILL)
        end_node(self.data)
        if keep:
            shutil.copytree(self.folder, keep, ignore=lambda _, names: [it for it in names if it.endswith(".sock")])
        shutil.rmtree(self.folder, ignore_errors=True)


def run_slice(muster, seed, server_kills, helper_kills, keep=None):
    """What was done, and the complaint when a promise was broken: the directory is then at `keep`."""
    soak, complaint = Soak(muster, seed), ""
    try:
        soak.run(server_kills, helper_kills)
    except Exception as problem:  # a slice that does not come to its end has proved nothing
        complaint = f"{type(problem).__name__}: {problem}"
    finally:
        soak.close(keep if complaint else None)
    return soak.counts(), complaint
