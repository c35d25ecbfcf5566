"""Groups of plain pods that wait for quota, on a server that is killed at random moments of their life: each ends
whole, quota holds at every look and is free at the end, and no gate and no finalizer is left."""

import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import ssl
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kubectl"))
from running_server import Server  # noqa: E402

MUSTER = os.environ.get("MUSTER", "build/muster")
QUEUEING = "/apis/kueue.x-k8s.io/v1beta2"
WORKLOADS = QUEUEING + "/namespaces/default/workloads"
PODS = "/api/v1/namespaces/default/pods"
GROUP_LABEL = "kueue.x-k8s.io/pod-group-name"
PODS_OF_GROUP = 4
CORES = 8  # two groups at a time


def holds(workload, condition):
    return any(it["type"] == condition and it["status"] == "True"
               for it in workload.get("status", {}).get("conditions", []))


def reclaimed(workload):
    return sum(it["count"] for it in workload["status"].get("reclaimablePods", []))


class QueueKills(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-queue-kill-"))
        self.server = Server(MUSTER, self.folder, ["--node", "simulated=2"])
        self.start()
        self.post(QUEUEING + "/resourceflavors", {"metadata": {"name": "f"}})
        quota = {"name": "cpu", "nominalQuota": str(CORES)}
        groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [quota]}]}]
        self.post(QUEUEING + "/clusterqueues",
                  {"metadata": {"name": "q"}, "spec": {"namespaceSelector": {}, "resourceGroups": groups}})
        self.post(QUEUEING + "/namespaces/default/localqueues",
                  {"metadata": {"name": "q"}, "spec": {"clusterQueue": "q"}})
        self.groups, self.finished, self.replaced = 0, 0, set()

    def tearDown(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.server.start()
        pki = self.folder / "data" / "pki"
        context = ssl.create_default_context(cafile=pki / "ca.pem")
        context.load_cert_chain(pki / "admin.pem")
        self.connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=20, context=context)

    def kill(self):
        self.connection.close()
        self.server.stop(signal.SIGKILL)

    def ask(self, method, target, body=None):
        self.connection.request(method, target, json.dumps(body) if body else None,
                                {"Content-Type": "application/json", "Accept": "application/json"})
        answer = self.connection.getresponse()
        content = answer.read()
        self.assertLess(answer.status, 300, content)
        return json.loads(content)

    def post(self, target, body):
        return self.ask("POST", target, body)

    def list(self, target):
        return self.ask("GET", target)["items"]

    def add_pod(self, group, name, fails=False):
        self.post(PODS, {
            "metadata": {
                "name": name,
                "labels": {"kueue.x-k8s.io/queue-name": "q", GROUP_LABEL: group},
                "annotations": {"kueue.x-k8s.io/pod-group-total-count": str(PODS_OF_GROUP),
                                "simulation.muster.dev/duration": "60ms",
                                "simulation.muster.dev/exit-code": "1" if fails else "0"}},
            "spec": {"restartPolicy": "Never",
                     "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}})

    def add_group(self):
        """In every third group one fails, and is to be replaced."""
        number, self.groups = self.groups, self.groups + 1
        for i in range(PODS_OF_GROUP):
            self.add_pod(f"g{number}", f"g{number}-{i}", fails=i == 0 and number % 3 == 0)

    def look(self):
        """Replaces what has failed, and checks what holds at every instant."""
        pods = self.list(PODS)
        for pod in pods:
            name = pod["metadata"]["name"]
            if pod["status"].get("phase") == "Failed" and name not in self.replaced:
                self.replaced.add(name)
                self.add_pod(pod["metadata"]["labels"][GROUP_LABEL], name + "-again")
        self.assertLessEqual(sum(pod["status"].get("phase") == "Running" for pod in pods), CORES)
        workloads = self.list(WORKLOADS)
        self.finished = sum(holds(it, "Finished") for it in workloads)
        reserved = sum(PODS_OF_GROUP - reclaimed(it) for it in workloads
                       if holds(it, "QuotaReserved") and not holds(it, "Finished"))
        self.assertLessEqual(reserved, CORES)

    def live(self, seed, groups, kills, moment_max):
        choice = random.Random(seed)
        for _ in range(kills):
            if self.groups < groups:
                self.add_group()
            until = time.monotonic() + choice.uniform(0, moment_max)
            while time.monotonic() < until:
                self.look()
            self.kill()
            self.start()
        while self.groups < groups:
            self.add_group()

    def wait_for(self, what, said):
        end = time.monotonic() + 60
        while not what():
            self.assertLess(time.monotonic(), end, said)
            time.sleep(0.01)

    def all_finished(self):
        self.look()
        return self.finished == self.groups

    def nothing_is_held(self):
        return not any(pod["metadata"].get("finalizers") or pod["spec"].get("schedulingGates")
                       for pod in self.list(PODS))

    def quota_is_free(self):
        status = self.ask("GET", QUEUEING + "/clusterqueues/q")["status"]
        used = [resource["total"] for flavor in status.get("flavorsUsage", []) for resource in flavor["resources"]]
        return used == ["0"] and status["reservingWorkloads"] == 0 and status["pendingWorkloads"] == 0

    def check_end(self):
        workloads = self.list(WORKLOADS)
        self.assertEqual(len(workloads), self.groups)
        for workload in workloads:
            ends = [it["message"] for it in workload["status"]["conditions"] if it["type"] == "Finished"]
            self.assertEqual(ends, ["Pods succeeded: 4/4."], workload["metadata"]["name"])
        self.wait_for(self.nothing_is_held, "a gate or a finalizer is left")
        succeeded = {}
        for pod in self.list(PODS):
            group = pod["metadata"]["labels"][GROUP_LABEL]
            succeeded[group] = succeeded.get(group, 0) + (pod["status"]["phase"] == "Succeeded")
        self.assertEqual(succeeded, {f"g{i}": PODS_OF_GROUP for i in range(self.groups)})
        self.wait_for(self.quota_is_free, "quota is not free")
        self.assertEqual(len(self.replaced), (self.groups + 2) // 3)

    def test_groups_end_whole_when_the_server_is_killed_all_the_time(self):
        self.live(seed=1, groups=15, kills=20, moment_max=0.04)
        self.wait_for(self.all_finished, "groups do not finish")
        self.check_end()

    def test_groups_end_whole_when_the_server_is_killed_now_and_then(self):
        self.live(seed=2, groups=15, kills=20, moment_max=0.3)
        self.wait_for(self.all_finished, "groups do not finish")
        self.check_end()


if __name__ == "__main__":
    unittest.main()
