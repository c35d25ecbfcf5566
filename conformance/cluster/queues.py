#!/usr/bin/env python3
"""conformance/cluster/queues.py MUSTER [--keep DIRECTORY]: queues on a real cluster.

Kubernetes' own control plane runs the Jobs. `muster controllers --controllers queue` has the rights and the admission
webhook that `muster manifests` prints, with a certificate of its own, and decides what may start. Pods of kwok run until
this script ends them; pods of Jobs end at once. At the end the history that etcd has kept must show that no more
processors than the quota were in use at any moment.

Exits with 0 when all held, 1 when not, 77 when something that it needs is not on this machine.
"""

import argparse
import json
import pathlib
import signal
import socket
import subprocess
import sys
import urllib.error

import quota
from cluster import Cluster, Failure, Kubectl, Program, wait_until, working_directory
from quota import GROUP, QUEUE
from rotation import Rotation

sys.dont_write_bytecode = True
QUOTA = 4
TOTAL = "kueue.x-k8s.io/pod-group-total-count"
PRIORITY = "kueue.x-k8s.io/priority-class"
MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
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


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Queues:
    """A cluster with Muster's queues, and what a user does there."""

    def __init__(self, muster, directory):
        self._muster, self._directory, self._port = muster, directory, free_port()
        self.cluster = Cluster(directory / "peers")
        self.kubectl = Kubectl(muster, self.cluster.kubeconfig)
        self._rotation = None
        self._process = Program(directory / "muster.log", "true")

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
        self.kubectl.apply_text(self.manifests("admission").replace("port: 443\n", f"port: {self._port}\n"))
        self._rotation = Rotation(self.cluster, self.cluster.server_port(), self._directory / "credentials", 30)
        self._process = Program(
            self._directory / "muster.log", self._muster, "controllers", "--kubeconfig", self._rotation.kubeconfigs[0],
            "--controllers", "queue", "--webhook-bind-address", f"127.0.0.1:{self._port}", "--health-bind-address",
            "127.0.0.1:0", "--metrics-bind-address", "127.0.0.1:0")
        self._process.start()
        self.kubectl.apply(*QUEUES)

    def start(self):
        self._process.start()

    def kill(self):
        self._process.stop(signal.SIGKILL)

    def close(self):
        self.kill()
        if self._rotation:
            self._rotation.close()
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


def check_pods(queues):
    """KEP-976, story 1: plain pods wait for quota."""
    for number in range(6):
        queues.kubectl.apply(queued(f"plain-{number}"))
    first = queues.await_running("the start of four pods", lambda names: len(names) == QUOTA)
    queues.finish(first[0], first[1])
    queues.await_running("the start of the others", lambda names: len(names) == QUOTA and set(names) != set(first))
    queues.finish_all()


def check_group(queues):
    """KEP-976, stories 2 and 3: pods of a group start together."""
    labels, annotations = {GROUP: "trio"}, {TOTAL: "3"}
    for number in range(2):
        queues.kubectl.apply(queued(f"trio-{number}", labels=labels, annotations=annotations))
    queues.kubectl.apply(queued("alone"))
    queues.await_running("the start of a pod beside the group", lambda names: names == ["alone"])
    queues.kubectl.apply(queued("trio-2", labels=labels, annotations=annotations))
    queues.await_running("the start of the group", lambda names: names == ["alone", "trio-0", "trio-1", "trio-2"])
    queues.finish_all()


def check_jobs(queues):
    """Jobs of kube-controller-manager; one takes fewer pods at once than it asked for."""
    queues.kubectl.apply(queued_job("plain", 20, QUOTA),
                         queued_job("partial", 12, 12, {MIN_PARALLELISM: "2"}))
    for name in ("plain", "partial"):
        wait_until(f"the end of job {name}", lambda each=name: queues.kubectl.job_is_over(each), PATIENCE)
    parallelism = queues.kubectl.get("job", "partial")["spec"]["parallelism"]
    if not 2 <= parallelism <= QUOTA:
        raise Failure(f"the Job with partial admission had parallelism {parallelism}")


def check_preemption(queues):
    for number in range(QUOTA):
        queues.kubectl.apply(queued(f"low-{number}"))
    queues.await_running("the start of low pods", lambda names: len(names) == QUOTA)
    queues.kubectl.apply(queued("high", "high"))
    names = queues.await_running("the start of the high pod", lambda names: "high" in names)
    if len(names) != QUOTA:
        raise Failure(f"one pod was to be stopped: {names} run")
    queues.finish_all()


def check_preemption_of_a_job(queues):
    """What kube-controller-manager makes of a Job that is stopped, and starts again, while its pods run."""
    queues.kubectl.apply(queued_job("low", 2, 2, labels={PRIORITY: "low"}, pod_annotations=RUNS))
    queues.kubectl.apply(queued("low-beside"), queued("low-beside-too"))
    before = queues.await_running("the start of a Job and two pods", lambda names: len(names) == QUOTA)
    queues.kubectl.apply(queued_job("high", 4, 4, labels={PRIORITY: "high"}, pod_annotations=RUNS))
    high = queues.await_running("the start of the high Job alone",
                                lambda names: len(names) == QUOTA and not set(names) & set(before))
    if not queues.kubectl.get("job", "low")["spec"].get("suspend"):
        raise Failure("the low Job is not suspended")
    queues.finish(*high)
    again = queues.await_running("the second start of the low Job", lambda names: len(names) == 2)
    if set(again) & set(before):
        raise Failure(f"pods of the first start run on: {again}")
    queues.finish(*again)
    for name in ("high", "low"):
        wait_until(f"the end of job {name}", lambda each=name: queues.kubectl.job_is_over(each), PATIENCE)


def check_node_that_does_not_answer(queues):
    """A pod that is to make room is deleted by force, as operators do when a node is gone."""
    queues.kubectl.apply(*(queued(f"silent-{number}") for number in range(QUOTA)))
    queues.await_running("the start of pods", lambda names: len(names) == QUOTA)
    queues.cluster.kill("kwok", signal.SIGSTOP)
    queues.kubectl.apply(queued("patient", "high"))

    def leaving():
        return [name for name, each in queues.pods().items() if "deletionTimestamp" in each["metadata"]]

    wait_until("the eviction of a pod", leaving, PATIENCE)
    queues.cluster.ask(f"{POD}/{leaving()[0]}", {"gracePeriodSeconds": 0}, "DELETE")
    wait_until("the start of the pod with the high priority",
               lambda: not queues.pods()["patient"]["spec"].get("schedulingGates"), PATIENCE)
    queues.cluster.kill("kwok", signal.SIGCONT)
    queues.await_running("the run of the pod with the high priority", lambda names: "patient" in names)
    queues.finish_all()


def check_webhook_is_needed_by_few(queues):
    """Without Muster, pods that have nothing to do with queues start, and others are refused."""
    queues.kill()
    if refusal := queues.create(pod("unrelated")):
        raise Failure(f"a pod without a queue was refused: {refusal}")
    refusal = queues.create(queued("too-early"))
    if "muster.dev" not in refusal:
        raise Failure(f"a pod with a queue was not refused by the webhook: {refusal or 'it was created'}")
    queues.start()
    wait_until("the webhook's return", lambda: not queues.create(queued("in-time")), PATIENCE)
    queues.await_running("the start of both", lambda names: names == ["in-time", "unrelated"])
    queues.finish_all()


def check_quota(queues, path):
    """At no moment was more in use than the quota, from the history in etcd."""
    queues.cluster.record(path, *quota.PREFIXES)
    verdict = quota.judge(path, QUOTA)
    print(f"    at most {verdict.most_in_use}m of {QUOTA} processors in use, {verdict.most_reserved}m reserved")
    if verdict.problems:
        raise Failure(f"the quota was not kept {len(verdict.problems)} times:\n    " + "\n    ".join(verdict.problems[:5]))
    if max(verdict.most_in_use, verdict.most_reserved) < 1000 * QUOTA:
        raise Failure("the history does not show what was in use")


CHECKS = [check_pods, check_group, check_jobs, check_preemption, check_preemption_of_a_job,
          check_node_that_does_not_answer, check_webhook_is_needed_by_few]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("--keep", type=pathlib.Path, help="where logs, etcd's data and the history stay; must not exist")
    options = parser.parse_args()
    with working_directory(options.keep) as directory:
        queues = Queues(str(pathlib.Path(options.muster).resolve()), directory)
        try:
            queues.install()
            for check in CHECKS:
                print(f"== {check.__name__.removeprefix('check_')}", flush=True)
                check(queues)
            print("== quota", flush=True)
            check_quota(queues, directory / "history.jsonl")
        except Failure as failure:
            log = (directory / "muster.log").read_text().splitlines() if (directory / "muster.log").exists() else []
            print(f"    FAILED: {failure}\n" + "".join(f"    muster: {line}\n" for line in log[-10:]))
            sys.exit(1)
        finally:
            queues.close()
    print("queues: ok")


if __name__ == "__main__":
    main()
