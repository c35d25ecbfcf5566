"""The endpoints of `muster controllers` beside a `muster up`: health, metrics with authorization, /debug; and its log."""

import http.client
import json
import os
import pathlib
import re
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
SECONDS = 60
RBAC = "/apis/rbac.authorization.k8s.io/v1"
JOB = {"metadata": {"name": "ours"},
       "spec": {"completions": 3, "completionMode": "Indexed", "managedBy": "muster.dev/job-controller",
                "template": {"metadata": {"annotations": {"simulation.muster.dev/duration": "50ms"}},
                             "spec": {"restartPolicy": "Never", "containers": [
                                 {"name": "c", "image": "i", "env": [{"name": "A", "value": "a-value-of-a-spec"}]}]}}}}


class Endpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-endpoints-"))
        (cls.folder / "tokens.csv").write_text("token-of-prometheus,prometheus,1001\ntoken-of-guest,guest,1002\n")
        cls.server = Server(MUSTER, cls.folder,
                            ["--node", "simulated=2", "--controllers", "scheduler,garbage,service-account",
                             "--token-auth-file", str(cls.folder / "tokens.csv")])
        cls.server.start()
        pki = cls.folder / "data" / "pki"
        context = ssl.create_default_context(cafile=pki / "ca.pem")
        context.load_cert_chain(pki / "admin.pem")
        cls.connection = http.client.HTTPSConnection("127.0.0.1", cls.server.port, timeout=20, context=context)
        cls.let_read("prometheus", ["/metrics", "/debug/*"])

    @classmethod
    def tearDownClass(cls):
        cls.connection.close()
        cls.server.stop(signal.SIGKILL)
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def ask(cls, method, target, body=None):
        cls.connection.request(method, target, json.dumps(body) if body else None,
                               {"Content-Type": "application/json", "Accept": "application/json"})
        answer = cls.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(content)
        return json.loads(content)

    @classmethod
    def let_read(cls, user, paths):
        cls.ask("POST", f"{RBAC}/clusterroles",
                {"metadata": {"name": user}, "rules": [{"nonResourceURLs": paths, "verbs": ["get"]}]})
        cls.ask("POST", f"{RBAC}/clusterrolebindings",
                {"metadata": {"name": user},
                 "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
                 "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})

    def setUp(self):
        self.process = None

    def tearDown(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def log(self):
        return (self.folder / "controllers.log").read_text()

    def until(self, holds, what):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.02)
        self.fail(f"{what}\n{self.log()}")

    def start(self, *flags, addresses=("--health-bind-address", "127.0.0.1:0", "--metrics-bind-address",
                                       "127.0.0.1:0")):
        with open(self.folder / "controllers.log", "wb") as log:
            self.process = subprocess.Popen(
                [MUSTER, "controllers", "--kubeconfig", self.folder / "data" / "kubeconfig", "--controllers", "job",
                 "--leader-elect-resource-namespace", "default", "--webhook-bind-address", "0", *addresses, *flags],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def port(self, endpoint):
        line = rf'"?Serving"?.*endpoint"?[=:]"{endpoint}".*address"?[=:]"127\.0\.0\.1:(\d+)"'
        self.until(lambda: re.search(line, self.log()), f"it says where {endpoint} is")
        return int(re.search(line, self.log())[1])

    def health(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port("health"), timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        status, body = answer.status, answer.read().decode()
        connection.close()
        return status, body

    def read(self, path, token=None):
        context = ssl._create_unverified_context()  # self-signed
        connection = http.client.HTTPSConnection("127.0.0.1", self.port("metrics"), timeout=20, context=context)
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = connection.getresponse()
        status, body = answer.status, answer.read().decode()
        connection.close()
        return status, body

    def test_a_job_can_be_followed_in_metrics_debug_and_log(self):
        self.start("--v", "10")
        self.assertEqual(self.health("/livez"), (200, "ok"))
        # Ready while another may lead; not ready from the moment when it leads until it has listed everything.
        self.until(lambda: "Became leader" in self.log(), "it leads")
        ready = "[+]ping ok\n[+]loop ok\n[+]credentials ok\n[+]mirrors ok\nreadyz check passed\n"
        self.until(lambda: self.health("/readyz?verbose") == (200, ready), "it gets ready")
        self.ask("POST", "/apis/batch/v1/namespaces/default/jobs", JOB)
        self.until(lambda: "The Job has ended" in self.log(), "the Job ends")

        status, text = self.read("/metrics", "token-of-prometheus")
        self.assertEqual(status, 200)
        for name in ("rest_client_requests_total", "rest_client_request_duration_seconds_count",
                     "rest_client_rate_limiter_duration_seconds_count", "reflector_lists_total",
                     "reflector_last_resource_version", "workqueue_adds_total", "leader_election_master_status",
                     "job_controller_jobs_finished_total"):
            self.assertRegex(text, rf"(?m)^{name}\{{", name)
        self.assertEqual(len(re.findall("(?m)^# TYPE (.*)$", text)), len(set(re.findall("(?m)^# TYPE (.*)$", text))))
        self.assertEqual(self.read("/metrics")[0], 401)
        self.assertEqual(self.read("/metrics", "token-of-a-thief")[0], 401)
        self.assertEqual(self.read("/metrics", "token-of-guest"), (403, "Authorization denied for user guest\n"))
        self.assertEqual(self.read("/debug/mirrors", "token-of-guest")[0], 403)

        status, text = self.read("/debug/mirrors", "token-of-prometheus")
        self.assertEqual(status, 200, text)
        mirrors = {it["resource"]: it for it in json.loads(text)["items"]}
        self.assertTrue(mirrors["pods"]["synced"])
        self.assertEqual(mirrors["pods"]["objects"], 3)
        self.assertGreater(mirrors["jobs"]["version"], 0)
        queues = json.loads(self.read("/debug/queues", "token-of-prometheus")[1])["items"]
        self.assertIn("job", {it["queue"] for it in queues})
        self.assertEqual(json.loads(self.read("/debug/unseen", "token-of-prometheus")[1])["topic"], "unseen")

        log = self.log()
        for line in (r'I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ \S+\.cc:\d+\] "Became leader" lease="default/muster-controllers"',
                     r'"Created pods" job="default/ours" count=\d',
                     r'"Counted pods" job="default/ours" active=',
                     r'"Response" verb="PATCH" url="https://127.0.0.1:\d+/apis/batch/v1/namespaces/default/jobs/ours/'
                     r'status[^"]*" status="200 OK" milliseconds=\d+ requestBytes=\d+ responseBytes=\d+'):
            self.assertRegex(log, line)
        for secret in ("token-of-", "a-value-of-a-spec", "BEGIN ", "Bearer"):
            self.assertNotIn(secret, log)

    def test_json_lines_are_json_and_no_authorization_is_a_choice(self):
        self.start("--log-format", "json", "--metrics-auth", "none", "--leader-elect=false", "-v=2")
        self.assertEqual(self.read("/metrics")[0], 200)
        self.assertEqual(self.read("/debug/secrets")[0], 404)
        self.until(lambda: self.health("/readyz")[0] == 200, "it gets ready")
        lines = [json.loads(line) for line in self.log().splitlines()]
        self.assertTrue(lines)
        for line in lines:
            self.assertTrue({"ts", "level", "caller", "msg"} <= set(line), line)
        self.assertIn("Listed", {line["msg"] for line in lines})

    def test_endpoints_can_be_turned_off_and_bad_flags_are_named(self):
        for flags, said in ((["--metrics-auth", "basic"], "--metrics-auth is token or none"),
                            (["--health-bind-address", "here"], "--health-bind-address: "),
                            (["--metrics-cert-dir", "/nowhere"], "--metrics-cert-dir: "),
                            (["--v", "11"], "--v"), (["--log-format", "xml"], "--log-format is text or json")):
            self.start(*flags, addresses=() if "bind" in flags[0] else ("--health-bind-address", "0"))
            self.assertEqual(self.process.wait(20), 2, flags)
            self.assertIn(said, self.log())
        self.start(addresses=("--health-bind-address", "0", "--metrics-bind-address", "0"))
        self.until(lambda: "leading" in self.log(), "it leads")
        self.assertNotIn("Serving", self.log())


if __name__ == "__main__":
    unittest.main()
