#!/usr/bin/env python3
"""conformance/cluster/in_cluster.py MUSTER [--keep DIRECTORY]: Muster as a pod of a cluster, installed by Helm.

A node of ours (kubelet.py) runs the pods of the chart as processes, with what a pod has and nothing else. The Deployment
becomes ready and runs a Job. An uninstallation stops, with everything still there, while there is an unfinished Job that
only Muster runs, and removes all when there is none; also when no controller of Jobs is installed.

HELM names Helm's program, else the path is searched, and build/conformance/go/helm. Exits with 0 when all held, 1 when
not, 77 when something that it needs is not on this machine.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import kubelet
from cluster import ROOT, SKIPPED, Cluster, Failure, Kubectl, wait_until, working_directory

sys.dont_write_bytecode = True
CHART = ROOT / "deploy/helm/muster"
HOME = "muster-system"
PATIENCE = 90
FLAGS = ["--without=kwok",
         # The ends of pods are looked at by hand here.
         "--kube-controller-manager=--controllers=*,-node-lifecycle-controller"]


def find_helm():
    for path in (os.environ.get("HELM"), shutil.which("helm"), ROOT / "build/conformance/go/helm"):
        if path and os.access(path, os.X_OK):
            return str(path)
    return None


def managed_job(name, runs):
    pod = {"metadata": {"annotations": {kubelet.RUNS: "true"} if runs else {}},
           "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "none"}]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"},
            "spec": {"managedBy": "muster.dev/job-controller", "completions": 2, "parallelism": 2, "template": pod}}


class Release:
    def __init__(self, helm, cluster, directory):
        self._helm, self.cluster = helm, cluster
        # Nothing of the machine's own Helm.
        self._environment = {**os.environ, "KUBECONFIG": cluster.kubeconfig, "HELM_CACHE_HOME": str(directory / "cache"),
                             "HELM_CONFIG_HOME": str(directory / "config"), "HELM_DATA_HOME": str(directory / "data")}

    def _run(self, *words):
        return subprocess.run([self._helm, *words, "--namespace", HOME], env=self._environment, capture_output=True,
                              text=True, timeout=300, check=False)

    def install(self, controllers):
        done = self._run("install", "muster", CHART, "--create-namespace", "--set",
                         f"replicas=1,controllers={{{controllers}}}", "--wait", "--timeout", f"{PATIENCE}s")
        if done.returncode:
            raise Failure(f"helm install: {done.stdout}{done.stderr}")

    def uninstall(self):
        return self._run("uninstall", "muster", "--wait", "--timeout", f"{PATIENCE}s")

    def is_there(self):
        return self._run("status", "muster").returncode == 0


def exists(kubectl, *words):
    return kubectl.get(*words) is not None


def check_jobs(kubectl, node, release):
    release.install("job,pod-ttl")
    kubectl.apply(managed_job("quick", runs=False))
    wait_until("the end of a Job", lambda: kubectl.job_is_over("quick"), PATIENCE)
    print("    a pod of the cluster runs a Job", flush=True)

    kubectl.apply(managed_job("slow", runs=True))
    wait_until("the start of a Job", lambda: (kubectl.get("job", "slow") or {"status": {}})["status"].get("active") == 2, PATIENCE)
    done = release.uninstall()
    if done.returncode == 0:
        raise Failure("Muster was uninstalled while there was a Job that only it runs")
    if not any("default/slow" in text for text in node.logs().values()):
        raise Failure(f"the check does not name the Job: {node.logs()}")
    if not release.is_there() or not exists(kubectl, "deployment", "muster-controllers", "-n", HOME):
        raise Failure("a part of the release is gone")
    print("    an uninstallation stops for a Job that only Muster runs", flush=True)

    for pod in kubectl.get("pods", "-l", "job-name=slow")["items"]:
        release.cluster.ask(f"{kubelet.path_of(pod)}/status", {"status": {"phase": "Succeeded"}}, "PATCH", kubelet.MERGE)
    wait_until("the end of the Job", lambda: kubectl.job_is_over("slow"), PATIENCE)


def check_uninstallation(kubectl, release):
    done = release.uninstall()
    if done.returncode:
        raise Failure(f"helm uninstall: {done.stdout}{done.stderr}")
    if release.is_there() or exists(kubectl, "deployment", "muster-controllers", "-n", HOME):
        raise Failure("a part of the release is left")
    print("    it is uninstalled", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("--keep", type=pathlib.Path, help="where logs and etcd's data stay; must not exist")
    options = parser.parse_args()
    helm = find_helm()
    if not helm or not kubelet.can_run():
        print("SKIPPED: " + ("mount namespaces cannot be made here" if helm else "there is no helm (HELM names one)"))
        sys.exit(SKIPPED)
    with working_directory(options.keep) as directory:
        cluster = Cluster(directory / "peers", history=False, flags=FLAGS)
        pods = directory / "pods"
        pods.mkdir(mode=0o711)
        node = kubelet.Kubelet(cluster, str(pathlib.Path(options.muster).resolve()), pods)
        try:
            kubectl = Kubectl(options.muster, cluster.kubeconfig)
            release = Release(helm, cluster, directory)
            check_jobs(kubectl, node, release)
            check_uninstallation(kubectl, release)
            release.install("pod-ttl")
            check_uninstallation(kubectl, release)
        except Failure as failure:
            print(f"    FAILED: {failure}")
            for name, text in node.logs().items():
                print("".join(f"    {name}: {line}\n" for line in text.splitlines()[-10:]))
            sys.exit(1)
        finally:
            node.close()
            cluster.close()
    print("in_cluster: ok")


if __name__ == "__main__":
    main()
