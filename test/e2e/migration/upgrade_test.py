"""A server with work at hand is replaced by another version, forth and back, while its pods run.

    EARLIER=path MUSTER=path test/e2e/migration/upgrade_test.py

EARLIER is the binary of an earlier version (scripts/upgrade-test builds it), MUSTER today's. Every process appends a
line to a file when it starts and one when it ends, outside of the data directory: what ran, and how often, is counted
there and not asked of the server.
"""

import collections
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kubectl"))
from api_client import ApiClient, tls_of_kubeconfig  # noqa: E402
from running_server import Server, end_node, node_helper  # noqa: E402

EARLIER = os.environ.get("EARLIER")
MUSTER = os.environ.get("MUSTER", "build/muster")
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"


def job(name, completions, parallelism, script, folder):
    variables = {"MARKS": str(folder / "marks"), "GATE": str(folder / "gate")}
    return {"metadata": {"name": name},
            "spec": {"completions": completions, "parallelism": parallelism, "completionMode": "Indexed",
                     "backoffLimit": 0,
                     "template": {"spec": {"restartPolicy": "Never", "containers": [
                         {"name": "c", "image": "none", "command": ["sh", "-c", script],
                          "resources": {"requests": {"cpu": "10m"}},
                          "env": [{"name": it, "value": value} for it, value in variables.items()]}]}}}}


# Two dollars are one in a command of Kubernetes.
LONG = """
echo begin $HOSTNAME $$$$ >> $MARKS; echo began
until [ -e $GATE ]; do sleep 0.1; done
echo ended; echo end $HOSTNAME $$$$ >> $MARKS
"""
SHORT = "echo begin $HOSTNAME $$$$ >> $MARKS; echo end $HOSTNAME $$$$ >> $MARKS"


@unittest.skipUnless(EARLIER, "EARLIER names no binary of an earlier version")
class Upgrade(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-upgrade-"))
        self.data, self.marks = self.folder / "data", self.folder / "marks"
        self.server = self.client = None

    def tearDown(self):
        if self.client:
            self.client.close()
        if self.server:
            self.server.stop(signal.SIGKILL)
        end_node(self.data)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_version(self, muster, how=signal.SIGTERM):
        """Replaces the server by one of this version."""
        if self.server:
            self.client.close()
            self.assertEqual(self.server.stop(how), "")
        self.server = Server(muster, self.folder)
        self.server.start()
        self.client = ApiClient(self.server.port, tls_of_kubeconfig(self.data / "kubeconfig"))

    def wait_for(self, holds, said):
        end = time.monotonic() + 120
        while not holds():
            if time.monotonic() > end:
                self.fail(f"{said}\n{(self.folder / 'server.log').read_text()}")
            time.sleep(0.05)

    def counts(self):
        """How often each pod began and ended."""
        lines = self.marks.read_text().splitlines() if self.marks.exists() else []
        counts = collections.Counter(tuple(it.split()[:2]) for it in lines)
        return {what: {pod: count for (word, pod), count in counts.items() if word == what} for what in ("begin", "end")}

    def pods(self):
        return {it["metadata"]["name"]: it for it in self.client.get(PODS)["items"]}

    def running(self, name):
        return {pod: it for pod, it in self.pods().items()
                if pod.startswith(name) and it["status"]["phase"] == "Running"}

    def processes(self):
        """The process numbers of long runs, as they wrote them."""
        return {int(it.split()[2]) for it in self.marks.read_text().splitlines() if it.startswith("begin long")}

    def replace(self, first, then, how):
        self.run_version(first)
        self.client.post(JOBS, job("long", 8, 8, LONG, self.folder))
        self.client.post(JOBS, job("short", 300, 4, SHORT, self.folder))
        self.wait_for(lambda: len(self.running("long")) == 8, "the long pods do not run")
        self.wait_for(lambda: len(self.counts()["end"]) >= 20, "the short pods do not run")
        before, processes, helper = self.running("long"), self.processes(), node_helper(self.data)
        self.run_version(then, how)
        self.wait_for(lambda: self.running("long").keys() == before.keys(), "the long pods are not known")
        for name, pod in self.running("long").items():
            was, now = before[name]["status"]["containerStatuses"][0], pod["status"]["containerStatuses"][0]
            self.assertEqual((now["restartCount"], now["containerID"], now["state"]),
                             (was["restartCount"], was["containerID"], was["state"]))
        self.assertEqual({it for it in processes if pathlib.Path(f"/proc/{it}").exists()}, processes, "all run on")
        self.assertEqual(node_helper(self.data), helper, "under the helper that started them")
        # New work is taken at once, while the others run on.
        self.client.post(JOBS, job("after", 20, 4, SHORT, self.folder))
        self.wait_for(lambda: self.client.get(JOBS + "/after")["status"].get("succeeded") == 20,
                      "no new pods are run")
        self.assertEqual(len(self.running("long")), 8)
        (self.folder / "gate").touch()
        for name, pods in (("long", 8), ("short", 300)):
            self.wait_for(lambda: self.client.get(f"{JOBS}/{name}")["status"].get("succeeded") == pods,
                          f"the Job {name} does not complete")
            status = self.client.get(f"{JOBS}/{name}")["status"]
            self.assertEqual(status.get("failed", 0), 0)
            self.assertEqual(status["completedIndexes"], f"0-{pods - 1}")
        counts = self.counts()
        self.assertEqual(counts["begin"], counts["end"], "what began has ended")
        self.assertEqual(len(counts["begin"]), 328)
        self.assertEqual(set(counts["begin"].values()), {1}, "nothing ran twice")
        for name in before:
            self.assertEqual(self.client.get(f"{PODS}/{name}/log"), "began\nended\n", "its log has no gap")
        self.assertNotIn("damaged", (self.folder / "server.log").read_text())

    def test_running_pods_go_on_and_are_counted_once_when_the_server_is_upgraded(self):
        self.replace(EARLIER, MUSTER, signal.SIGTERM)

    def test_also_when_the_earlier_server_is_killed(self):
        self.replace(EARLIER, MUSTER, signal.SIGKILL)

    def test_also_when_the_earlier_version_comes_back(self):
        self.replace(MUSTER, EARLIER, signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
