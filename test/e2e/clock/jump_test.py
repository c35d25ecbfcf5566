"""A server whose wall clock is set while it serves: certificates are renewed in time, and what waits for a time of day
happens."""

import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "kubectl")]
from api_client import ApiClient, Refused, in_kubeconfig, tls_of_kubeconfig  # noqa: E402
from running_server import Server  # noqa: E402
from shifted_time import ShiftedTime  # noqa: E402

MUSTER = os.environ.get("MUSTER", "build/muster")
SHIFTED_CLOCK = os.environ.get("SHIFTED_CLOCK_LIBRARY", "build/test/libshifted_clock.so")
HOUR = 3600
DAY = 24 * HOUR
JOBS = "/apis/batch/v1/namespaces/default/jobs"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"
POD = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "none", "command": ["true"]}]}}


class AJump(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-clock-"))
        self.kubeconfig = self.folder / "data" / "kubeconfig"
        self.clock = ShiftedTime(SHIFTED_CLOCK, self.folder / "shift")
        self.server = Server(MUSTER, self.folder, ["--node", "simulated"], self.clock.environment())
        self.server.start()
        self.clients = []

    def tearDown(self):
        for client in self.clients:
            client.close()
        self.server.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, kubeconfig=None):
        """Its own clock is not set."""
        tls = tls_of_kubeconfig(kubeconfig or self.kubeconfig, check_time=False)
        self.clients.append(ApiClient(self.server.port, tls))
        return self.clients[-1]

    def wait_for(self, holds, said):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, said)
            time.sleep(0.05)

    def served_certificate(self):
        client = self.client()
        client.get("/api/v1/namespaces/default")
        return client.connection.sock.getpeercert(binary_form=True)

    def test_of_most_of_a_year_renews_the_servers_and_the_administrators_certificate(self):
        old = self.folder / "old"
        shutil.copy(self.kubeconfig, old)
        served = self.served_certificate()
        self.clock.shift(300 * DAY)
        self.wait_for(lambda: self.kubeconfig.read_text() != old.read_text(), "the kubeconfig is not renewed")
        self.wait_for(lambda: self.served_certificate() != served, "the server shows its old certificate")
        authority = "certificate-authority-data"
        self.assertEqual(in_kubeconfig(self.kubeconfig, authority), in_kubeconfig(old, authority))
        self.client(old).get("/api/v1/namespaces/default")  # it has not expired yet
        self.clock.shift(400 * DAY)
        with self.assertRaises(Refused) as refused:
            self.client(old).get("/api/v1/namespaces/default")
        self.assertEqual(refused.exception.code, 401)
        self.client().get("/api/v1/namespaces/default")

    def test_of_hours_removes_what_has_lived_its_time_and_starts_what_is_due(self):
        client = self.client()
        client.post(JOBS, {"metadata": {"name": "short-lived"},
                           "spec": {"ttlSecondsAfterFinished": 2 * HOUR, "template": POD}})
        client.post(CRON_JOBS, {"metadata": {"name": "daily"}, "spec": {
            "schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": POD}}}})
        self.wait_for(lambda: client.get(JOBS + "/short-lived")["status"].get("succeeded") == 1, "the Job does not end")
        self.clock.shift(25 * HOUR)
        names = []

        def look():
            names[:] = [it["metadata"]["name"] for it in client.get(JOBS)["items"]]
            return "short-lived" not in names and any(it.startswith("daily-") for it in names)
        self.wait_for(look, "a day has passed, and neither the end nor the start that was due came")


if __name__ == "__main__":
    unittest.main()
