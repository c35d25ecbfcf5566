"""A node whose pods of Muster's image are processes of this machine, in the surroundings that a kubelet gives them: the
service account's token and the cluster's certificate in /var/run/secrets, the API server's address in the environment, a
root file system that cannot be written, the user of the image. They share the network of the machine, so that each port
that they listen on is another here. Other pods only say that they run; those of Jobs that they have succeeded.

Mount namespaces need root, or user namespaces; without both `can_run` is false.
"""

import datetime
import os
import subprocess
import threading
import urllib.error
import urllib.request

from cluster import free_port

NODE = "node-of-processes"
IMAGE = "muster-controllers"
PODS = f"/api/v1/pods?fieldSelector=spec.nodeName%3D{NODE}"
MERGE = "application/merge-patch+json"
RUNS = "conformance.muster.dev/runs"
USER = 65532
# Positional: the directory of the account's files, then the command. /var/run is a link to /run.
ENTER = """set -eu
files=$1; shift
mount -t tmpfs none /run
mkdir -p /run/secrets/kubernetes.io
cp -r "$files" /run/secrets/kubernetes.io/serviceaccount
chmod -R a+rX /run/secrets
mount -o remount,bind,ro /
cd /
exec "$@"
"""


def unshared():
    return ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]


def can_run():
    return subprocess.run([*unshared(), "mount", "-t", "tmpfs", "none", "/run"], check=False,
                          capture_output=True).returncode == 0


def now():
    return f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


class Kubelet:
    def __init__(self, cluster, muster, directory):
        self._cluster, self._muster, self._directory = cluster, muster, directory
        self._processes = {}  # by the pod's UID
        self._ports = {}  # of the machine, by the pod's UID and its own port
        self._ended = threading.Event()
        cluster.ask("/api/v1/nodes", {"metadata": {"name": NODE, "labels": {
            "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": NODE}}})
        self._tell_readiness()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def log_of(self, pod):
        path = self._directory / f"{pod['metadata']['uid']}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def logs(self):
        return {path.name: path.read_text(encoding="utf-8", errors="replace") for path in self._directory.glob("*.log")}

    def close(self):
        self._ended.set()
        self._thread.join()
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()

    def _tell_readiness(self):
        amounts = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        self._cluster.ask(f"/api/v1/nodes/{NODE}/status", {"status": {
            "capacity": amounts, "allocatable": amounts, "conditions": [
                {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": now(),
                 "lastTransitionTime": now()}]}}, "PATCH", MERGE)

    def _run(self):
        rounds = 0
        while not self._ended.wait(0.2):
            rounds += 1
            try:
                if rounds % 50 == 0:
                    self._tell_readiness()
                for pod in self._cluster.ask(PODS)["items"]:
                    self._look_after(pod)
            except OSError as error:
                print(f"    kubelet: {error}", flush=True)

    def _look_after(self, pod):
        try:
            if pod["spec"]["containers"][0]["image"].startswith(IMAGE):
                self._look_after_process(pod)
            else:
                self._pretend(pod)
        except urllib.error.HTTPError as error:
            if error.code not in (404, 409):  # it has changed or gone meanwhile
                raise

    def _pretend(self, pod):
        phase, leaves = pod["status"].get("phase"), "deletionTimestamp" in pod["metadata"]
        of_job = any(owner["kind"] == "Job" for owner in pod["metadata"].get("ownerReferences", []))
        if phase in ("Pending", "Running") and leaves:
            self._tell(pod, "Failed")
        elif phase == "Pending":
            self._tell(pod, "Running")
        elif phase == "Running" and of_job and RUNS not in pod["metadata"].get("annotations", {}):
            self._tell(pod, "Succeeded")
        elif leaves:
            self._remove(pod)

    def _look_after_process(self, pod):
        uid, phase = pod["metadata"]["uid"], pod["status"].get("phase")
        process = self._processes.get(uid)
        if phase in ("Succeeded", "Failed"):
            if "deletionTimestamp" in pod["metadata"]:
                self._remove(pod)
        elif not process:
            self._processes[uid] = self._start(pod)
            self._tell(pod, "Running")
        elif process.poll() is not None:
            self._tell(pod, "Failed" if process.returncode else "Succeeded", process.returncode)
        elif "deletionTimestamp" in pod["metadata"]:
            process.terminate()
        elif phase == "Running" and not self._is_ready(pod) and self._answers(pod):
            self._tell(pod, "Running", ready=True)

    def _start(self, pod):
        container, meta = pod["spec"]["containers"][0], pod["metadata"]
        files = self._directory / f"{meta['uid']}-account"
        files.mkdir()
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {
            "audiences": ["https://kubernetes.default.svc"], "boundObjectRef": {
                "apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"]}}}
        account = pod["spec"]["serviceAccountName"]
        answer = self._cluster.ask(f"/api/v1/namespaces/{meta['namespace']}/serviceaccounts/{account}/token", request)
        (files / "token").write_text(answer["status"]["token"])
        (files / "ca.crt").write_text((self._cluster.directory / "ca.crt").read_text())
        (files / "namespace").write_text(meta["namespace"])
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/", "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                       "KUBERNETES_SERVICE_PORT": str(self._cluster.server_port()),
                       **{each["name"]: self._value_of(each, pod) for each in container.get("env", [])}}
        user = []
        if os.geteuid() == 0:
            user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
        args = list(container["args"])
        for each in container.get("ports", []):
            port = self._ports[meta["uid"], each["containerPort"]] = free_port()
            args = [arg.replace(f"=:{each['containerPort']}", f"=127.0.0.1:{port}") for arg in args]
        with open(self._directory / f"{meta['uid']}.log", "ab") as log:
            return subprocess.Popen([*unshared(), "sh", "-c", ENTER, "enter", files, *user, self._muster, *args],
                                    env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @staticmethod
    def _value_of(variable, pod):
        if "value" in variable:
            return variable["value"]
        path = variable["valueFrom"]["fieldRef"]["fieldPath"]
        return {"metadata.name": pod["metadata"]["name"], "metadata.namespace": pod["metadata"]["namespace"],
                "spec.nodeName": NODE}[path]

    @staticmethod
    def _is_ready(pod):
        return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", []))

    def _answers(self, pod):
        probe = pod["spec"]["containers"][0].get("readinessProbe", {}).get("httpGet")
        if not probe:
            return True
        ports = {each["name"]: each["containerPort"] for each in pod["spec"]["containers"][0]["ports"]}
        try:
            port = self._ports[pod["metadata"]["uid"], ports.get(probe["port"], probe["port"])]
            url = f"http://127.0.0.1:{port}{probe['path']}"
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _tell(self, pod, phase, code=0, ready=False):
        container = pod["spec"]["containers"][0]
        ended = phase in ("Succeeded", "Failed")
        state = {"terminated": {"exitCode": code or (143 if phase == "Failed" else 0), "finishedAt": now(),
                                "startedAt": now()}, "running": None} if ended else {"running": {"startedAt": now()}}
        self._cluster.ask(f"{path_of(pod)}/status", {"status": {
            "phase": phase, "podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}], "hostIP": "127.0.0.1",
            "hostIPs": [{"ip": "127.0.0.1"}], "startTime": now(), "conditions": [
                {"type": kind, "status": "True" if ready else "False", "lastTransitionTime": now()}
                for kind in ("Ready", "ContainersReady")],
            "containerStatuses": [{"name": container["name"], "image": container["image"], "imageID": "", "ready": ready,
                                   "restartCount": 0, "state": state}]}}, "PATCH", MERGE)

    def _remove(self, pod):
        self._cluster.ask(path_of(pod), {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}}, "DELETE")


def path_of(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
