#!/usr/bin/env python3
"""conformance/cluster/jobs.py MUSTER [--part NAME] [--completions N] [--seconds S] [--rotate S] [--seed N]
[--keep DIRECTORY]: Jobs on a real cluster.

Runs Kubernetes' own API server, etcd, scheduler and kwok, and `muster controllers` in place of or beside the Job
controller of kube-controller-manager. Every part ends with all Jobs complete, and the whole history that etcd has kept
is judged by the simulator's checkers: every pod counted once, no number taken back, the true numbers at the end.

  beside    --job-mode managed-by beside a whole kube-controller-manager: each handles its own Jobs
  switch    kube-controller-manager's Job controller and Muster replace each other every 5 seconds, with kill -9
  chaos     two replicas with the rights that `muster manifests` gives; API server, etcd, leader and scheduler are
            killed, API server, etcd and leader are stopped for a while, connections are cut, and every --rotate seconds
            the replicas' token and certificate are replaced, for --seconds

Exits with 0 when all held, 1 when not, 77 when something that it needs is not on this machine.
"""

import argparse
import functools
import pathlib
import random
import signal
import subprocess
import sys
import time

from cluster import (Cluster, Failure, Kubectl, Program, job_controller_of_kubernetes, judge,
                     wait_until, working_directory)
from cutting_proxy import CuttingProxy
from rotation import Rotation

sys.dont_write_bytecode = True
MANAGER = "muster.dev/job-controller"
LEASE = "muster-controllers"
OWN_ENDPOINTS = ["--health-bind-address", "127.0.0.1:0", "--metrics-bind-address", "127.0.0.1:0"]


def job(name, completions, parallelism, indexed=True, managed_by=None):
    spec = {"completions": completions, "parallelism": parallelism, "backoffLimit": 1000,
            "completionMode": "Indexed" if indexed else "NonIndexed",
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "work", "image": "none"}]}}}
    if managed_by:
        spec["managedBy"] = managed_by
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def home():
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "muster-system"}}


def controllers(options, kubeconfig, log, *flags):
    return Program(log, options.muster, "controllers", "--kubeconfig", kubeconfig, "--controllers", "job",
                   *OWN_ENDPOINTS, *flags)


def check_status(kubectl, name, completions):
    status = kubectl.get("job", name)["status"]
    if status.get("succeeded") != completions or status.get("failed"):
        raise Failure(f"job {name}: {status}")


def writers(cluster, name):
    """Those who wrote the Job's status."""
    fields = cluster.ask(f"/apis/batch/v1/namespaces/default/jobs/{name}")["metadata"]["managedFields"]
    return {each["manager"] for each in fields if each.get("subresource") == "status"}


def run_beside(options, directory):
    cluster = Cluster(directory / "peers")
    try:
        kubectl = Kubectl(options.muster, cluster.kubeconfig)
        kubectl.apply(home())
        ours = controllers(options, cluster.kubeconfig, directory / "muster.log")
        ours.start()
        number = max(options.completions // 10, 20)
        kubectl.apply(job("ours", number, 20, managed_by=MANAGER), job("theirs", number, 20),
                      job("ours-plain", number, 20, indexed=False, managed_by=MANAGER))
        for name in ("ours", "theirs", "ours-plain"):
            wait_until(f"the end of job {name}", lambda each=name: kubectl.job_is_over(each), 300)
            check_status(kubectl, name, number)
        for name, manager in (("ours", "muster"), ("ours-plain", "muster"), ("theirs", "kube-controller-manager")):
            if writers(cluster, name) != {manager}:
                raise Failure(f"the status of job {name} was written by {writers(cluster, name)}")
        if (code := ours.stop()) != 0:
            raise Failure(f"muster controllers ended with {code} when it was told to stop")
        cluster.record(directory / "history.jsonl")
        judge(directory / "history.jsonl", one_controller=True)
    finally:
        cluster.close()


def run_switch(options, directory):
    cluster = Cluster(directory / "peers", flags=["--kube-controller-manager=--controllers=*,-job-controller"])
    theirs = job_controller_of_kubernetes(cluster.kubeconfig, directory / "kcm.log", "--kube-api-qps=5000",
                                          "--kube-api-burst=10000")
    ours = controllers(options, cluster.kubeconfig, directory / "muster.log", "--job-mode", "all",
                       "--leader-elect=false")
    try:
        kubectl = Kubectl(options.muster, cluster.kubeconfig)
        kubectl.apply(home())
        kubectl.apply(job("switched", options.completions, 100))
        turns, counted, before = 0, [0, 0], 0
        while not kubectl.job_is_over("switched"):
            (theirs, ours)[turns % 2].start()
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline and not kubectl.job_is_over("switched"):
                time.sleep(0.2)
            (theirs, ours)[turns % 2].stop(signal.SIGKILL)
            after = kubectl.get("job", "switched")["status"].get("succeeded", 0)
            counted[turns % 2] += after - before
            turns, before = turns + 1, after
        check_status(kubectl, "switched", options.completions)
        print(f"    {turns} turns; kube-controller-manager counted {counted[0]}, Muster {counted[1]}")
        if not all(counted):
            raise Failure("one of the two did nothing")
        cluster.record(directory / "history.jsonl")
        judge(directory / "history.jsonl", one_controller=False)
    finally:
        theirs.stop(signal.SIGKILL)
        ours.stop(signal.SIGKILL)
        cluster.close()


class Chaos:
    """What goes wrong, one thing after the other."""

    def __init__(self, cluster, replicas, proxy, kubectl, chance):
        self._cluster, self._replicas, self._proxy, self._kubectl, self._chance = (
            cluster, replicas, proxy, kubectl, chance)
        self.happened = {}

    def leader(self):
        lease = self._kubectl.get("lease", LEASE, "--namespace", "muster-system")
        holder = (lease or {}).get("spec", {}).get("holderIdentity", "")
        for replica in self._replicas:
            if holder and replica.runs and replica.has_said("leading as " + holder):
                return replica
        return self._chance.choice(self._replicas)

    def strike(self):
        name = self._chance.choice(["kube-apiserver", "etcd", "kube-scheduler", "leader", "replica", "stop leader",
                                    "stop kube-apiserver", "stop etcd", "cut"])
        self.happened[name] = self.happened.get(name, 0) + 1
        if name == "cut":
            self._proxy.cut(self._chance.random())
        elif name.startswith("stop "):
            self._stop(name.removeprefix("stop "))
        elif name in ("leader", "replica"):
            victim = self.leader() if name == "leader" else self._chance.choice(self._replicas)
            victim.stop(signal.SIGKILL)
        else:
            self._cluster.kill(name)

    def _stop(self, name):
        """For longer than the lease lasts, now and then."""
        send = self.leader().send if name == "leader" else functools.partial(self._cluster.kill, name)
        send(signal.SIGSTOP)
        time.sleep(self._chance.uniform(1, 20))
        send(signal.SIGCONT)

    def revive(self):
        for replica in self._replicas:
            if not replica.runs:
                replica.stop(signal.SIGKILL)
                replica.start()


def run_chaos(options, directory):
    cluster = Cluster(directory / "peers", flags=["--kube-controller-manager=--controllers=*,-job-controller"])
    proxy = CuttingProxy(cluster.server_port(), options.seed)
    rotation, replicas = None, []
    try:
        kubectl = Kubectl(options.muster, cluster.kubeconfig)
        kubectl.apply_text(subprocess.run([options.muster, "manifests", "namespace", "rbac", "--controllers=job",
                                           "--job-mode=all"], capture_output=True, text=True, check=True).stdout)
        rotation = Rotation(cluster, proxy.port, directory / "credentials", options.rotate)
        replicas += [controllers(options, kubeconfig, directory / f"muster-{number}.log", "--job-mode", "all",
                                 "--leader-elect-resource-name", LEASE)
                     for number, kubeconfig in enumerate(rotation.kubeconfigs)]
        chance = random.Random(options.seed)
        chaos = Chaos(cluster, replicas, proxy, kubectl, chance)
        names, deadline = [], time.monotonic() + options.seconds
        while time.monotonic() < deadline:
            chaos.revive()
            running = [name for name in names if not kubectl.job_is_over(name)]
            if len(running) < 3:
                names.append(f"chaos-{len(names)}")
                kubectl.apply(job(names[-1], options.completions // 4, chance.choice([5, 50, 200]),
                                  indexed=chance.random() < 0.7))
            time.sleep(chance.uniform(1, 4))
            chaos.strike()
        print(f"    {len(names)} Jobs; {chaos.happened}; credentials replaced {rotation.replaced} times")
        wait_until("an answer of the API server", lambda: kubectl.get("job", names[0]), 120)
        cluster.kill("kwok")  # it gives up a pod whose status it could not write; a new one takes up all pods
        for name in names:
            def is_over(each=name):
                chaos.revive()
                return kubectl.job_is_over(each)
            wait_until(f"the end of job {name}", is_over, 300)
            check_status(kubectl, name, options.completions // 4)
        cluster.record(directory / "history.jsonl")
        judge(directory / "history.jsonl", one_controller=False)
    finally:
        for replica in replicas:
            replica.send(signal.SIGCONT)
            replica.stop(signal.SIGKILL)
        if rotation:
            rotation.close()
        proxy.close()
        cluster.close()


PARTS = {"beside": run_beside, "switch": run_switch, "chaos": run_chaos}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("--part", action="append", choices=list(PARTS), help="only this part; may be given again")
    parser.add_argument("--completions", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=120, help="of chaos")
    parser.add_argument("--rotate", type=int, default=30, help="seconds between new credentials in chaos")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--keep", type=pathlib.Path, help="where logs, etcd's data and the history stay; must not exist")
    options = parser.parse_args()
    options.muster = str(pathlib.Path(options.muster).resolve())
    failed = []
    for name in options.part or list(PARTS):
        with working_directory(options.keep and options.keep / name) as directory:
            print(f"== {name} (seed {options.seed})", flush=True)
            began = time.monotonic()
            try:
                PARTS[name](options, directory)
                print(f"    ok, {time.monotonic() - began:.0f} s", flush=True)
            except Failure as failure:
                print(f"    FAILED: {failure}", flush=True)
                for log in sorted(directory.glob("muster*.log")):
                    print("".join(f"    {log.name}: {line}\n" for line in log.read_text().splitlines()[-10:]), flush=True)
                failed.append(name)
    if failed:
        print("FAILED: " + " ".join(failed))
        sys.exit(1)


if __name__ == "__main__":
    main()
