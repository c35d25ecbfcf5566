"""Data directories that earlier versions left, killed while pods ran: today's binary opens them as they are. README.md
says what is in them."""

import json
import os
import pathlib
import shutil
import signal
import sys
import tarfile
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "kubectl"), str(HERE.parent / "clock")]
from api_client import ApiClient, Refused, in_kubeconfig, tls_of_kubeconfig  # noqa: E402
from running_server import Server, end_node  # noqa: E402
from shifted_time import ShiftedTime  # noqa: E402

MUSTER = os.environ.get("MUSTER", "build/muster")
SHIFTED_CLOCK = os.environ.get("SHIFTED_CLOCK_LIBRARY", "build/test/libshifted_clock.so")
YEAR = 365 * 24 * 3600
PODS = "/api/v1/namespaces/work/pods"
JOBS = "/apis/batch/v1/namespaces/work/jobs"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/work/workloads"
QUIET = ["--node", "none", "--controllers", "none"]  # nothing but what opening itself does


def name_of(item):
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


def is_the_servers(target, item):
    """What every start may write: its Node, the Service that names it, the roles that come with it."""
    return (target in ("/api/v1/nodes", "/apis/coordination.k8s.io/v1/leases")
            or target == "/api/v1/services" and name_of(item) == ("default", "kubernetes")
            or "rbac" in target and "kubernetes.io/bootstrapping" in item["metadata"].get("labels", {}))


def conditions(item):
    return {it["type"]: it["status"] for it in item["status"].get("conditions", [])}


class Migration:
    """What holds for the directory of every earlier version. A subclass names the archive."""
    archive = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-migration-"))
        self.data = self.folder / "data"
        with tarfile.open(HERE / self.archive) as archive:
            archive.extractall(self.folder)
        self.recorded = json.loads((self.folder / "recorded.json").read_text())
        self.lists = self.recorded["lists"]
        self.revision = max(int(it["metadata"]["resourceVersion"]) for it in self.lists.values())
        shutil.copy(self.data / "kubeconfig", self.folder / "kubeconfig")  # what users have copies of
        self.clock = ShiftedTime(SHIFTED_CLOCK, self.folder / "shift")
        self.server, self.clients = None, []

    def tearDown(self):
        for client in self.clients:
            client.close()
        if self.server:
            self.server.stop(signal.SIGKILL)
        end_node(self.data)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_then(self, flags=(), later=5):
        """A start `later` seconds after the directory was left."""
        self.clock.set(self.recorded["at"] + later)
        self.server = Server(MUSTER, self.folder, flags, self.clock.environment())
        self.server.start()

    def start_now(self, flags=()):
        """A start today, however long that is after it."""
        self.server = Server(MUSTER, self.folder, flags)
        self.server.start()

    def stop(self, how=signal.SIGTERM):
        self.assertEqual(self.server.stop(how), "")

    def client(self, kubeconfig=None):
        tls = tls_of_kubeconfig(kubeconfig or self.data / "kubeconfig", check_time=False)
        return self.connect(tls)

    def connect(self, tls, token=None):
        self.clients.append(ApiClient(self.server.port, tls, token))
        return self.clients[-1]

    def robot(self):
        tls = tls_of_kubeconfig(self.folder / "kubeconfig", check_time=False, as_administrator=False)
        return self.connect(tls, self.recorded["token"])

    def wait_for(self, holds, said):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, said)
            time.sleep(0.05)

    def look(self, client):
        return {target: client.get(target) for target in self.lists}

    def check_same(self, before, after):
        """Every object that is not the server's own is the same, its revision too."""
        for target, was in before.items():
            now = {name_of(it): it for it in after[target]["items"]}
            for item in was["items"]:
                if not is_the_servers(target, item):
                    self.assertEqual(now.get(name_of(item)), item, target)
            users = [name_of(it) for it in after[target]["items"] if not is_the_servers(target, it)]
            self.assertEqual(len(users), sum(not is_the_servers(target, it) for it in was["items"]), target)
            self.assertGreaterEqual(int(after[target]["metadata"]["resourceVersion"]), self.revision, target)

    def test_every_object_is_what_the_earlier_version_answered(self):
        self.start_then(QUIET)
        opened = self.look(self.client())
        self.assertGreater(sum(len(it["items"]) for it in opened.values()), 100)
        self.assertGreater(len(opened["/api/v1/events"]["items"]), 20)
        self.check_same(self.lists, opened)
        for how in (signal.SIGTERM, signal.SIGKILL):  # the directory is today's now
            self.stop(how)
            self.start_then(QUIET)
            self.check_same(opened, self.look(self.client()))

    def test_revisions_go_on_and_a_watch_from_an_old_one_is_told_what_came_or_to_list_again(self):
        self.start_then(QUIET)
        client = self.client()
        made = client.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "new"}})
        self.assertGreater(int(made["metadata"]["resourceVersion"]), self.revision)
        for revision in (self.revision, self.revision // 2):
            target = f"/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1&resourceVersion={revision}"
            try:
                kind, item = next(self.client().watch(target))
            except Refused as refused:
                self.assertEqual(refused.code, 410)
                continue
            if kind == "ERROR":
                self.assertEqual(item["code"], 410, item)
            else:
                self.assertEqual((kind, item), ("ADDED", made))

    def test_service_account_tokens_that_were_issued_are_good_for_what_they_were(self):
        self.start_then(QUIET)
        self.assertEqual(self.robot().get("/api/v1/namespaces/work/configmaps/settings")["data"]["color"], "green")
        for target in ("/api/v1/namespaces/work/secrets", "/api/v1/namespaces/default/configmaps"):
            with self.assertRaises(Refused) as refused:
                self.robot().get(target)
            self.assertEqual(refused.exception.code, 403)

    def test_certificates_that_expired_meanwhile_are_renewed_by_the_same_authority(self):
        self.start_then(QUIET, later=3 * YEAR)
        with self.assertRaises(Refused) as refused:
            self.client(self.folder / "kubeconfig").get("/api/v1/namespaces")
        self.assertEqual(refused.exception.code, 401)
        self.client().get("/api/v1/namespaces/work")
        authority = "certificate-authority-data"
        self.assertEqual(in_kubeconfig(self.data / "kubeconfig", authority),
                         in_kubeconfig(self.folder / "kubeconfig", authority))

    def pods(self, client):
        return {it["metadata"]["name"]: it for it in client.get(PODS)["items"]}

    def log(self, client, pod):
        return client.get(f"{PODS}/{pod}/log")

    def check_runs(self, client):
        before = {it["metadata"]["name"]: it for it in self.lists["/api/v1/pods"]["items"]}
        self.wait_for(lambda: self.pods(client)["alone"]["status"]["phase"] == "Failed",
                      "the pod that was running is not seen to have ended")
        self.wait_for(lambda: client.get(JOBS + "/running")["status"].get("failed") == 1, "its end is not counted")
        pods = self.pods(client)
        for name, was in before.items():
            if was["status"]["phase"] in ("Succeeded", "Failed"):
                self.assertEqual(pods[name], was, "a pod that had ended is left alone")
        for name in ("done-0", "done-1", "done-2"):
            found = next(it for it in pods if it.startswith(name))
            self.assertEqual(self.log(client, found), f"index {name[-1]}\n")
        self.assertEqual(self.log(client, "once"), "once\n")
        for name in ("alone", next(it for it in before if it.startswith("running-"))):
            ended = pods[name]["status"]["containerStatuses"][0]
            self.assertEqual(ended["restartCount"], 0)
            self.assertEqual(ended["state"]["terminated"]["exitCode"], 137, ended)
            self.assertEqual(self.log(client, name), "begins\n", "it ran once")
        self.assertEqual(client.get(JOBS + "/done")["status"],
                         next(it["status"] for it in self.lists["/apis/batch/v1/jobs"]["items"]
                              if it["metadata"]["name"] == "done"))
        lines = (self.data / "node" / "runs").read_text().splitlines()
        self.assertTrue(all(len(it.split("\t")[0]) == 8 for it in lines), "every record has its checksum")
        self.assertFalse((self.data / "node" / "runs.damaged").exists())

    def check_queue(self, client):
        """Quota is still the admitted Job's: it tries again, and the other waits on."""
        workloads = {it["metadata"]["ownerReferences"][0]["name"]: it for it in client.get(WORKLOADS)["items"]}
        was = {it["metadata"]["ownerReferences"][0]["name"]: it
               for it in self.lists["/apis/kueue.x-k8s.io/v1beta2/workloads"]["items"]}
        self.assertEqual(workloads.keys(), was.keys())
        self.assertEqual(workloads["admitted"]["spec"], was["admitted"]["spec"])
        self.assertEqual(workloads["admitted"]["status"]["admission"], was["admitted"]["status"]["admission"])
        self.assertEqual(conditions(workloads["admitted"])["Admitted"], "True")
        self.assertNotEqual(conditions(workloads["waiting"]).get("QuotaReserved"), "True")
        self.assertFalse(client.get(JOBS + "/admitted")["spec"]["suspend"])
        self.assertTrue(client.get(JOBS + "/waiting")["spec"]["suspend"])
        client.delete(JOBS + "/admitted", {"propagationPolicy": "Foreground"})
        self.wait_for(lambda: not client.get(JOBS + "/waiting")["spec"]["suspend"], "the next is not admitted")

    def test_runs_are_known_and_queues_keep_admitted_workloads(self):
        self.start_now()
        client = self.client()
        self.check_runs(client)
        quota = "/api/v1/namespaces/work/resourcequotas/few"
        self.wait_for(lambda: client.get(quota).get("status", {}).get("used", {}).get("secrets") == "1",
                      "a quota that had no effect is not counted")
        with self.assertRaises(Refused) as refused:
            client.post("/api/v1/namespaces/work/secrets", {"metadata": {"name": "one-too-many"}})
        self.assertEqual(refused.exception.code, 403)
        ended = {name: it["status"] for name, it in self.pods(client).items() if it["status"]["phase"] == "Failed"}
        for how in (signal.SIGTERM, signal.SIGKILL):
            self.stop(how)
            self.start_now()
            client = self.client()
            pods = self.pods(client)
            self.assertEqual({name: pods[name]["status"] for name in ended}, ended)
            self.check_runs(client)
        self.check_queue(client)
        self.assertNotIn("damaged", (self.folder / "server.log").read_text())


class BeforeChecksums(Migration, unittest.TestCase):
    """Commit caab6ca: an EC key for the administrator, records of runs without checksums."""
    archive = "earlier.tar.xz"

    def test_the_administrator_keeps_access_and_gets_a_key_that_java_reads(self):
        old = self.folder / "kubeconfig"
        self.assertIn(b"BEGIN PRIVATE KEY", in_kubeconfig(old, "client-key-data"))
        self.start_then(QUIET)
        self.client(old).post("/api/v1/namespaces", {"metadata": {"name": "of-the-old-key"}})
        new = self.data / "kubeconfig"
        self.assertIn(b"BEGIN RSA PRIVATE KEY", in_kubeconfig(new, "client-key-data"))
        self.client(new).post("/api/v1/namespaces", {"metadata": {"name": "of-the-new-key"}})
        authority = "certificate-authority-data"
        self.assertEqual(in_kubeconfig(new, authority), in_kubeconfig(old, authority))


class Release010(Migration, unittest.TestCase):
    archive = "0.1.0.tar.xz"

    def test_the_administrator_keeps_the_key(self):
        self.start_then(QUIET)
        self.client(self.folder / "kubeconfig").post("/api/v1/namespaces", {"metadata": {"name": "of-the-key"}})
        key = "client-key-data"
        self.assertEqual(in_kubeconfig(self.data / "kubeconfig", key), in_kubeconfig(self.folder / "kubeconfig", key))


if __name__ == "__main__":
    unittest.main()
