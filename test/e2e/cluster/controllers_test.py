"""`muster controllers` against an API server: `muster up` without controllers of its own for Jobs. Which Jobs it runs,
who leads, what an observer does, and what it says when it cannot start."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kubectl"))
from running_server import Server  # noqa: E402

MUSTER = os.environ.get("MUSTER", "build/muster")
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/muster-controllers"
OURS = "muster.dev/job-controller"
SECONDS = 60
# The lease's namespace must be there.
LEASE_FLAGS = ["--leader-elect-resource-namespace", "default"]
QUIET = ["--webhook-bind-address", "0", "--health-bind-address", "0", "--metrics-bind-address", "0"]
# What a Job controller may do, and nothing else.
JOB_RULES = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch", "create", "patch", "delete"]},
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": ["batch"], "resources": ["jobs/status"], "verbs": ["patch"]},
    {"apiGroups": ["batch"], "resources": ["jobs/finalizers"], "verbs": ["update"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
]


def job(name, managed_by=None, completions=3, duration="50ms"):
    spec = {"completions": completions, "parallelism": 2, "completionMode": "Indexed",
            "template": {"metadata": {"annotations": {"simulation.muster.dev/duration": duration}},
                         "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}
    if managed_by:
        spec["managedBy"] = managed_by
    return {"metadata": {"name": name}, "spec": spec}


class Controllers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-controllers-"))
        (self.folder / "tokens.csv").write_text("token-of-ada,ada,1001\n")
        self.server = Server(MUSTER, self.folder,
                             ["--node", "simulated=2", "--controllers", "scheduler,garbage,service-account",
                              "--token-auth-file", str(self.folder / "tokens.csv")])
        self.server.start()
        pki = self.folder / "data" / "pki"
        context = ssl.create_default_context(cafile=pki / "ca.pem")
        context.load_cert_chain(pki / "admin.pem")
        self.connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=20, context=context)
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.connection.close()
        self.server.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, target, body=None, kind="application/json"):
        self.connection.request(method, target, json.dumps(body) if body else None,
                                {"Content-Type": kind, "Accept": "application/json"})
        answer = self.connection.getresponse()
        content = answer.read()
        self.assertLess(answer.status, 300, content)
        return json.loads(content)

    def get(self, target):
        return self.ask("GET", target)

    def log(self, number):
        return (self.folder / f"controllers-{number}.log").read_text()

    def controllers(self, *flags, kubeconfig=None):
        """Starts one; its output goes to controllers-N.log."""
        with open(self.folder / f"controllers-{len(self.started)}.log", "wb") as log:
            process = subprocess.Popen(
                [MUSTER, "controllers", "--kubeconfig", kubeconfig or self.folder / "data" / "kubeconfig", *QUIET,
                 *LEASE_FLAGS, *flags], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.started.append(process)
        return process

    def until(self, holds, what):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.02)
        logs = "".join(self.log(i) for i in range(len(self.started)))
        self.fail(f"{what}\n{logs}")

    def is_complete(self, name, namespace="default"):
        status = self.get(f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}")["status"]
        return any(it["type"] == "Complete" and it["status"] == "True" for it in status.get("conditions", []))

    def holder(self):
        self.connection.request("GET", LEASE)
        answer = self.connection.getresponse()
        content = answer.read()
        return json.loads(content)["spec"].get("holderIdentity", "") if answer.status == 200 else ""

    def kubeconfig_of_ada(self):
        ca = (self.folder / "data" / "pki" / "ca.pem").read_text()
        (self.folder / "ca.pem").write_text(ca)
        path = self.folder / "ada.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.server.port}",
                                                   "certificate-authority": "ca.pem"}}],
            "users": [{"name": "u", "user": {"token": "token-of-ada"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        return path

    def allow_ada(self, rules, namespace=None):
        group = "/apis/rbac.authorization.k8s.io/v1"
        where = f"{group}/namespaces/{namespace}" if namespace else group
        prefix = "" if namespace else "Cluster"
        resource = "" if namespace else "cluster"
        self.ask("POST", f"{where}/{resource}roles", {"metadata": {"name": "ada"}, "rules": rules})
        self.ask("POST", f"{where}/{resource}rolebindings", {
            "metadata": {"name": "ada"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": f"{prefix}Role", "name": "ada"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ada"}]})

    def test_jobs_that_are_ours_run_and_others_are_left_alone(self):
        self.ask("POST", JOBS, job("ours", OURS, completions=20))
        self.ask("POST", JOBS, job("plain"))
        self.ask("POST", JOBS, job("others", "example.com/other"))
        process = self.controllers("--controllers", "job")
        self.until(lambda: self.is_complete("ours"), "our Job completes")
        for name in ("plain", "others"):
            self.assertNotIn("startTime", self.get(f"{JOBS}/{name}")["status"])
        owners = {it["metadata"]["ownerReferences"][0]["name"] for it in self.get(PODS)["items"]}
        self.assertEqual(owners, {"ours"})
        self.assertEqual([it for it in self.get(PODS)["items"] if it["metadata"].get("finalizers")], [])
        self.assertEqual(self.get(f"{JOBS}/ours")["status"]["completedIndexes"], "0-19")
        self.assertNotEqual(self.holder(), "")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(self.holder(), "", "the lease is given back")

    def test_in_mode_all_the_plain_ones_run(self):
        for name, manager in (("plain", None), ("named", "kubernetes.io/job-controller"), ("ours", OURS)):
            self.ask("POST", JOBS, job(name, manager))
        self.controllers("--controllers", "job", "--job-mode", "all", "--leader-elect=false")
        self.until(lambda: self.is_complete("plain") and self.is_complete("named"), "the plain Jobs complete")
        self.assertNotIn("startTime", self.get(f"{JOBS}/ours")["status"])
        self.assertEqual(self.holder(), "", "without leader election there is no lease")

    def test_the_next_replica_takes_over_within_a_second_of_a_planned_stop(self):
        first = self.controllers("--controllers", "job")
        self.until(lambda: self.holder() != "", "the first leads")
        leader = self.holder()
        second = self.controllers("--controllers", "job")
        self.until(lambda: "waiting" in self.log(1), "the second waits")
        self.ask("POST", JOBS, job("long", OURS, completions=60, duration="100ms"))
        self.until(lambda: self.get(f"{JOBS}/long")["status"].get("succeeded", 0) > 5, "the Job runs")
        began = time.monotonic()
        first.send_signal(signal.SIGTERM)
        self.until(lambda: self.holder() not in ("", leader), "the second leads")
        took = time.monotonic() - began
        self.assertEqual(first.wait(10), 0)
        self.assertLess(took, 1.0)
        self.until(lambda: self.is_complete("long"), "the Job completes")
        self.assertEqual(self.get(f"{JOBS}/long")["status"]["succeeded"], 60)
        self.assertEqual(len(self.get(PODS)["items"]), 60, "no index ran twice")
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(10), 0)

    def test_after_kill_9_the_other_takes_over_at_the_end_of_the_lease(self):
        times = ["--leader-elect-lease-duration", "4s", "--leader-elect-renew-deadline", "2s",
                 "--leader-elect-retry-period", "500ms"]
        first = self.controllers("--controllers", "job", *times)
        self.until(lambda: self.holder() != "", "the first leads")
        leader = self.holder()
        self.controllers("--controllers", "job", *times)
        self.until(lambda: "waiting" in self.log(1), "the second waits")
        self.ask("POST", JOBS, job("long", OURS, completions=60, duration="100ms"))
        self.until(lambda: self.get(f"{JOBS}/long")["status"].get("succeeded", 0) > 5, "the Job runs")
        first.kill()
        self.until(lambda: self.holder() not in ("", leader), "the second leads")
        self.until(lambda: self.is_complete("long"), "the Job completes")
        self.assertEqual(self.get(f"{JOBS}/long")["status"]["succeeded"], 60)
        self.assertEqual(len(self.get(PODS)["items"]), 60, "no index ran twice")

    def test_a_leader_whose_lease_another_has_taken_ends_with_1(self):
        process = self.controllers("--controllers", "job")
        self.until(lambda: self.holder() != "", "it leads")
        self.ask("PATCH", LEASE, {"spec": {"holderIdentity": "another"}}, "application/merge-patch+json")
        self.assertEqual(process.wait(30), 1)
        self.assertIn("is lost", self.log(0))

    def test_an_observer_writes_nothing(self):
        self.ask("POST", JOBS, job("ours", OURS))
        version = self.get(f"{JOBS}/ours")["metadata"]["resourceVersion"]
        process = self.controllers("--controllers", "job", "--observe")
        self.until(lambda: "in its status" in self.log(0), "it tells what it would write")
        self.assertIn("would create Pod default/ours-0-", self.log(0))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(self.get(PODS)["items"], [])
        self.assertEqual(self.get(f"{JOBS}/ours")["metadata"]["resourceVersion"], version)
        self.assertEqual(self.get("/api/v1/namespaces/default/events")["items"], [])
        self.assertEqual(self.holder(), "")

    def test_what_belongs_to_the_cluster_is_refused(self):
        for flags, said in ((["--controllers", "garbage"], "garbage-collector-controller"),
                            (["--controllers", "job,scheduler"], "kube-scheduler"),
                            (["--controllers", "queue", "--namespace", "team"], "queue cannot serve one namespace"),
                            (["--job-mode", "most"], "--job-mode \"most\""),
                            (["--leader-elect-lease-duration", "soon"], "--leader-elect-lease-duration"),
                            (["--feature-gates", "JobTrackingWithFinalizers=false"], "cannot be turned off"),
                            (["--api-connections", "0"], "--api-connections")):
            number = len(self.started)
            self.assertEqual(self.controllers(*flags).wait(10), 2, flags)
            self.assertIn(said, self.log(number))

    def test_missing_permissions_are_listed(self):
        self.allow_ada(JOB_RULES[1:])
        process = self.controllers("--controllers", "job", kubeconfig=self.kubeconfig_of_ada())
        self.assertEqual(process.wait(20), 1)
        log = self.log(0)
        for verb in ("list", "watch", "create", "patch", "delete"):
            self.assertIn(f"\n  {verb} pods\n", log)
        self.assertIn("create leases.coordination.k8s.io in namespace default", log)
        self.assertNotIn("jobs.batch", log)

    def test_one_namespace_needs_rights_there_alone(self):
        for name in ("team", "other"):
            self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
            self.ask("POST", f"/apis/batch/v1/namespaces/{name}/jobs", job("ours", OURS))
        self.allow_ada(JOB_RULES, "team")
        self.controllers("--controllers", "job", "--namespace", "team", "--leader-elect=false",
                         kubeconfig=self.kubeconfig_of_ada())
        self.until(lambda: self.is_complete("ours", "team"), "the Job of the namespace completes")
        self.assertNotIn("startTime", self.get("/apis/batch/v1/namespaces/other/jobs/ours")["status"])


if __name__ == "__main__":
    unittest.main()
