"""A cluster with Muster's queues and its webhook, and what a user does there."""

import json
import signal
import subprocess
import urllib.error

from cluster import Cluster, Failure, Kubectl, Program, free_port, wait_until
from cutting_proxy import CuttingProxy
from quota import QUEUE
from rotation import Rotation

QUOTA = 4
PRIORITY = "kueue.x-k8s.io/priority-class"
POD = "/api/v1/namespaces/default/pods"
PATIENCE = 90


def queue_object(kind, name, spec=None, **more):
    thing = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, **more}
    if spec is not None:
        thing["spec"] = spec
    if kind == "LocalQueue":
        thing["metadata"]["namespace"] = "default"
    return thing


QUEUES = [
    queue_object("ResourceFlavor", "any", {}),
    queue_object("ClusterQueue", "team", {
        "namespaceSelector": {}, "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
            {"name": "any", "resources": [{"name": "cpu", "nominalQuota": str(QUOTA)}]}]}]}),
    queue_object("LocalQueue", "door", {"clusterQueue": "team"}),
    queue_object("WorkloadPriorityClass", "low", value=1),
    queue_object("WorkloadPriorityClass", "high", value=1000),
]
RUNS = {"conformance.muster.dev/runs": "true"}  # a Job's pod that does not end at once
CONTAINERS = [{"name": "c", "image": "none", "resources": {"requests": {"cpu": "1"}}}]


def pod(name, labels=None, annotations=None):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": labels or {}, "annotations": annotations or {}},
            "spec": {"restartPolicy": "Never", "containers": CONTAINERS}}


def queued(name, priority="low", **more):
    return pod(name, {QUEUE: "door", PRIORITY: priority, **more.pop("labels", {})}, **more)


def queued_job(name, completions, parallelism, annotations=None, labels=None, pod_annotations=None):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "default", "labels": {QUEUE: "door", **(labels or {})},
                         "annotations": annotations or {}},
            "spec": {"completions": completions, "parallelism": parallelism,
                     "template": {"metadata": {"annotations": pod_annotations or {}},
                                  "spec": {"restartPolicy": "Never", "containers": CONTAINERS}}}}


class Queues:
    """A cluster with Muster's queues, and what a user does there."""

    def __init__(self, muster, directory, replicas=1, seed=0):
        self._muster, self._directory = muster, directory
        self.cluster = Cluster(directory / "peers")
        self.kubectl = Kubectl(muster, self.cluster.kubeconfig)
        self._webhook_ports = [free_port() for _ in range(replicas)]
        # To the webhook, as a Service is, and from the replicas to the API server.
        self.proxies = [CuttingProxy(self._webhook_ports, seed), CuttingProxy(self.cluster.server_port(), seed)]
        self.rotation = None
        self.replicas = []

    def manifests(self, *parts):
        return subprocess.run([self._muster, "manifests", *parts, "--controllers=queue"], capture_output=True, text=True,
                              check=True).stdout

    def install(self):
        # There is no network between pods: the API server finds the webhook on this machine.
        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "muster-webhook",
                                                                       "namespace": "muster-system"},
                   "spec": {"type": "ExternalName", "externalName": "localhost"}}
        self.kubectl.apply_text(self.manifests("namespace", "crds", "rbac", "flow"))
        self.kubectl.apply(service)
        port = self.proxies[0].port
        self.kubectl.apply_text(self.manifests("admission").replace("port: 443\n", f"port: {port}\n"))
        self.rotation = Rotation(self.cluster, self.proxies[1].port, self._directory / "credentials", 30)
        for number, port in enumerate(self._webhook_ports):
            self.replicas.append(Program(
                self._directory / f"muster-{number}.log", self._muster, "controllers", "--kubeconfig",
                self.rotation.kubeconfigs[number], "--controllers", "queue", "--webhook-bind-address",
                f"127.0.0.1:{port}", "--health-bind-address", "127.0.0.1:0", "--metrics-bind-address", "127.0.0.1:0"))
        self.start()
        self.kubectl.apply(*QUEUES)

    def start(self):
        """Those that do not run."""
        for replica in self.replicas:
            if not replica.runs:
                replica.stop(signal.SIGKILL)
                replica.start()

    def kill(self):
        for replica in self.replicas:
            replica.send(signal.SIGCONT)
            replica.stop(signal.SIGKILL)

    def close(self):
        self.kill()
        if self.rotation:
            self.rotation.close()
        for proxy in self.proxies:
            proxy.close()
        self.cluster.close()

    def create(self, thing):
        """Gives the refusal, or nothing."""
        try:
            self.cluster.ask(POD, thing)
            return ""
        except urllib.error.HTTPError as error:
            return json.load(error)["message"]

    def pods(self):
        return {each["metadata"]["name"]: each for each in self.cluster.ask(POD)["items"]}

    def running(self):
        """Names of the pods that run and are not being deleted."""
        return sorted(name for name, each in self.pods().items()
                      if each["status"].get("phase") == "Running" and "deletionTimestamp" not in each["metadata"])

    def finish(self, *names):
        for name in names:
            self.cluster.ask(f"{POD}/{name}/status", {"status": {"phase": "Succeeded", "conditions": [
                {"type": "Ready", "status": "False", "reason": "PodCompleted"}]}}, "PATCH", "application/merge-patch+json")

    def await_running(self, what, holds):
        found = None

        def asked():
            nonlocal found
            found = self.running()
            return holds(found)

        try:
            wait_until(what, asked, PATIENCE)
        except Failure as failure:
            raise Failure(f"{failure}; running: {found}") from None
        return found

    def finish_all(self):
        def nothing_left():
            self.finish(*self.running())
            return all(each["status"].get("phase") in ("Succeeded", "Failed") for each in self.pods().values())

        wait_until("the end of all pods", nothing_left, PATIENCE)
