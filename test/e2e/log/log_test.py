"""The log of the verbs: `muster up` and the client verbs, in both forms."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kubectl"))
from running_server import Server  # noqa: E402

MUSTER = os.environ.get("MUSTER", "build/muster")
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "a-value-of-a-secret"}}
KLOG = r'(?m)^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ \S+\.cc:\d+\] '


class Log(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-log-"))
        (self.folder / "none.csv").write_text("")
        self.server = Server(MUSTER, self.folder, ["--node", "none", "--token-auth-file", self.folder / "none.csv"])

    def tearDown(self):
        self.server.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_verb(self, *arguments, stdin=""):
        return subprocess.run([MUSTER, *arguments], capture_output=True, text=True, input=stdin, timeout=60,
                              env={**os.environ, "KUBECONFIG": str(self.folder / "data" / "kubeconfig")})

    def server_log(self):
        return (self.folder / "server.log").read_text()

    def test_a_problem_of_the_server_is_a_warning_in_klogs_form(self):
        self.server.start()
        self.server.stop(signal.SIGTERM)
        self.assertRegex(self.server_log(), r'(?m)^W\d{4} .*\] "\S*none\.csv holds no tokens"$')

    def test_with_json_each_line_of_the_server_is_an_object(self):
        self.server.start(["--log-format", "json", "--v", "2"])
        self.server.stop(signal.SIGTERM)
        lines = [json.loads(line) for line in self.server_log().splitlines()]
        warnings = [line for line in lines if line["level"] == "warning"]
        self.assertEqual(len(warnings), 1, warnings)
        self.assertNotIn("v", warnings[0])
        self.assertIn({"Listed"}, [{line["msg"]} for line in lines if line.get("v") == 2])

    def test_client_verbs_log_their_requests_and_nothing_secret(self):
        self.server.start()
        self.assertEqual(self.run_verb("get", "pods").stderr, "No resources found in default namespace.\n")
        shown = self.run_verb("get", "pods", "-v=6")
        self.assertRegex(shown.stderr, KLOG + r'"Response" verb="GET" url="https://127\.0\.0\.1:\d+/api/v1/namespaces/'
                                              r'default/pods[^"]*" status="200 OK" milliseconds=\d+$')
        self.assertNotIn("responseBytes", shown.stderr)
        applied = self.run_verb("--v", "10", "apply", "-f", "-", stdin=json.dumps(SECRET))
        self.assertEqual(applied.returncode, 0, applied.stderr)
        self.assertRegex(applied.stderr, r'verb="POST" .* status="201 Created" .* requestBytes=\d+ responseBytes=\d+')
        self.assertNotIn("a-value-of-a-secret", applied.stderr)
        asked = self.run_verb("--log-format=json", "get", "secret", "s", "-o", "json", "--v=8")
        self.assertIn("data", json.loads(asked.stdout))
        for line in asked.stderr.splitlines():
            self.assertEqual(json.loads(line)["msg"], "Response")
        self.assertNotIn("YS12YWx1ZS1vZi1hLXNlY3JldA", asked.stderr)

    def test_bad_flags_are_named(self):
        self.assertEqual(self.run_verb("get", "pods", "--v", "11").returncode, 1)
        for flags in (["--v", "11"], ["--v", "much"], ["--log-format", "xml"]):
            ended = self.run_verb("up", *flags)
            self.assertEqual(ended.returncode, 2, flags)
            self.assertIn(flags[0], ended.stderr)


if __name__ == "__main__":
    unittest.main()
