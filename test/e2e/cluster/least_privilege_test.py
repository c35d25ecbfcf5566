"""The rights that `muster manifests rbac` gives are those that `muster controllers` uses: no story needs more, every
right is used by one, and without any of them the process says which is missing. The API server is `muster up`, whose
audit log tells what was asked. MUSTER names the binary."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kubectl"))
from running_server import Server  # noqa: E402

MUSTER = os.environ["MUSTER"]
ACCOUNT = "system:serviceaccount:muster-system:muster"
INSTALLATION = ["--controllers=job,pod-ttl"]
OURS = "muster.dev/job-controller"

# Rights that no request shows here, and why they are needed.
LISTS = "used where the server does not send what it has at the start of a watch"
METRICS = "of the metrics port, which is off here"
UNSEEN = {
    ("", "pods", "list"): LISTS,
    ("batch", "jobs", "list"): LISTS,
    ("coordination.k8s.io", "leases", "list"): LISTS,
    ("authentication.k8s.io", "tokenreviews", "create"): METRICS,
    ("authorization.k8s.io", "subjectaccessreviews", "create"): METRICS,
    ("batch", "jobs/finalizers", "update"): "asked for by the admission plugin OwnerReferencesPermissionEnforcement",
}
# Asked by the process about itself, which every user may.
OF_EVERYONE = {("authorization.k8s.io", "selfsubjectaccessreviews", "create")}


def job(name, **spec):
    container = {"name": "main", "image": "busybox", "command": spec.pop("command", ["true"])}
    meta = spec.pop("pod_metadata", {})
    template = {"metadata": meta, "spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"},
            "spec": {"managedBy": OURS, "template": template, **spec}}


def shown_name(group, resource):
    """As the process names it: jobs.batch/status."""
    name, _, part = resource.partition("/")
    return name + (f".{group}" if group else "") + (f"/{part}" if part else "")


def granted(objects):
    """{(group, resource, verb)} of the roles that are bound to the account."""
    bound = {(thing["roleRef"]["kind"], thing["metadata"]["name"]) for thing in objects if thing["kind"].endswith("Binding")}
    return {(group, resource, verb)
            for thing in objects if (thing["kind"], thing["metadata"]["name"]) in bound
            for rule in thing["rules"] for group in rule["apiGroups"] for resource in rule["resources"]
            for verb in rule["verbs"]}


class LeastPrivilege(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.audit = cls.folder / "audit.log"
        tokens = cls.folder / "tokens.csv"
        tokens.write_text(f'account-token,{ACCOUNT},1,"system:serviceaccounts,system:serviceaccounts:muster-system"\n')
        cls.server = Server(MUSTER, cls.folder, ["--node=simulated=3", "--controllers=*,-job,-ttl,-pod-ttl,-cron-job,-queue",
                                                f"--token-auth-file={tokens}", f"--audit-log={cls.audit}"])
        cls.server.start()
        cls.admin = cls.folder / "data/kubeconfig"
        cls.write_kubeconfig()
        cls.objects = json.loads(cls.run_muster("manifests", "namespace", "rbac", *INSTALLATION, "--output=json"))["items"]
        cls.apply(*cls.objects)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop(signal.SIGTERM)
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def write_kubeconfig(cls):
        authority = cls.run_muster("get", "configmap", "kube-root-ca.crt", "-n", "kube-system", "-o",
                                   "jsonpath={.data.ca\\.crt}", kubeconfig=cls.admin)
        (cls.folder / "ca.crt").write_text(authority)
        cls.account = cls.folder / "account.kubeconfig"
        cls.account.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{cls.server.port}",
                                                   "certificate-authority": str(cls.folder / "ca.crt")}}],
            "users": [{"name": "u", "user": {"token": "account-token"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))

    @classmethod
    def run_muster(cls, *words, kubeconfig=None, **options):
        flags = ["--kubeconfig", str(kubeconfig)] if kubeconfig else []
        done = subprocess.run([MUSTER, *words, *flags], capture_output=True, text=True, timeout=60, **options)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    @classmethod
    def apply(cls, *objects):
        document = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        cls.run_muster("apply", "-f", "-", kubeconfig=cls.admin, input=document)

    def get(self, *words):
        return json.loads(self.run_muster("get", *words, "-o", "json", kubeconfig=self.admin))

    def until(self, what, holds, patience=30):
        deadline = time.monotonic() + patience
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"{what}; the log says: {self.log()}")
            time.sleep(0.05)

    def log(self):
        path = self.folder / "controllers.log"
        return path.read_text()[-3000:] if path.exists() else ""

    def start(self):
        with open(self.folder / "controllers.log", "wb") as log:
            return subprocess.Popen(
                [MUSTER, "controllers", "--kubeconfig", self.account, *INSTALLATION, "--leader-elect-resource-namespace",
                 "muster-system", "--health-bind-address=0", "--metrics-bind-address=0"], stdout=log, stderr=log)

    def has_condition(self, name, condition):
        found = self.get("job", name).get("status", {}).get("conditions", [])
        return any(one["type"] == condition and one["status"] == "True" for one in found)

    def used(self):
        """{(group, resource, verb)} of the account's requests, and those that were refused."""
        seen, refused = set(), set()
        for line in self.audit.read_text().splitlines():
            event = json.loads(line)
            reference = event.get("objectRef")
            if event["user"].get("username") != ACCOUNT or not reference:
                continue
            resource = "/".join(filter(None, [reference["resource"], reference.get("subresource")]))
            asked = (reference.get("apiGroup", ""), resource, event["verb"])
            seen.add(asked)
            if event.get("responseStatus", {}).get("code") == 403:
                refused.add(asked)
        return seen, refused

    def tell_stories(self):
        # Pods are created, counted and released.
        self.apply(job("indexed", completions=20, parallelism=5, completionMode="Indexed"))
        self.until("the Job completes", lambda: self.has_condition("indexed", "Complete"))
        # Running pods are removed when the time is over.
        self.apply(job("late", activeDeadlineSeconds=1, parallelism=2, command=["sleep", "3600"]))
        self.until("the Job fails", lambda: self.has_condition("late", "Failed"))
        # A pod that nothing owns is adopted, after its Job was read once more.
        adopting = job("adopting", parallelism=1, completions=1, manualSelector=True, command=["sleep", "3600"],
                       selector={"matchLabels": {"tribe": "one"}}, pod_metadata={"labels": {"tribe": "one"}})
        self.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stray", "namespace": "default",
                                                                    "labels": {"tribe": "one"}},
                    "spec": adopting["spec"]["template"]["spec"]})
        self.apply(adopting)
        self.until("the pod is adopted", lambda: self.get("pod", "stray")["metadata"].get("ownerReferences"))
        # The same event again and again is counted.
        self.apply(job("again", completions=4, parallelism=1))
        self.until("the Job completes", lambda: self.has_condition("again", "Complete"))
        # A finished pod goes when its time has come.
        self.apply({"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": "brief", "namespace": "default",
                                 "labels": {"muster.dev/ttl-seconds-after-finished": "0"}},
                    "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox", "command": ["true"]}]}})
        self.until("the finished pod goes", lambda: "brief" not in {
            pod["metadata"]["name"] for pod in self.get("pods")["items"]})

    def test_1_every_right_is_used_and_none_is_missing(self):
        process = self.start()
        try:
            self.tell_stories()
            wanted = granted(self.objects) - set(UNSEEN)
            try:
                self.until("all rights are used", lambda: wanted <= self.used()[0], 10)
            except AssertionError:
                pass
            seen, refused = self.used()
            self.assertEqual(refused, set())
            self.assertEqual(wanted - seen, set(), "rights that no story uses")
            self.assertEqual(seen - wanted - OF_EVERYONE, set(), "requests without a right of their own")
        finally:
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), 0, self.log())

    def test_2_without_one_of_its_rights_the_process_says_which(self):
        for thing in self.objects:
            if thing["kind"] not in ("ClusterRole", "Role") or thing["metadata"]["name"] == "muster:metrics-reader":
                continue
            if thing["metadata"]["name"] == "muster:metrics":
                continue  # metrics are off here
            for index, rule in enumerate(thing["rules"]):
                for verb in rule["verbs"]:
                    with self.subTest(role=thing["metadata"]["name"], resource=rule["resources"][0], verb=verb):
                        self.check_without(thing, index, verb)

    def check_without(self, role, index, verb):
        rules = json.loads(json.dumps(role["rules"]))
        resource = rules[index]["resources"][0]
        # The same right may stand in the role of another controller, too: there it goes as well.
        changed = []
        for thing in self.objects:
            if thing["kind"] not in ("ClusterRole", "Role"):
                continue
            reduced = [{**rule, "verbs": [one for one in rule["verbs"] if one != verb or rule.get("resources") != [resource]]}
                       for rule in thing.get("rules", [])]
            if reduced != thing["rules"]:
                changed.append({**thing, "rules": [rule for rule in reduced if rule["verbs"]] or [
                    {"apiGroups": [""], "resources": ["nothing"], "verbs": ["get"]}]})
        self.apply(*changed)
        try:
            process = self.start()
            self.assertEqual(process.wait(20), 1, f"it started without {verb} {resource}")
            self.assertIn(f"\n  {verb} {shown_name(rules[index]['apiGroups'][0], resource)}", self.log())
        finally:
            self.apply(*self.objects)


if __name__ == "__main__":
    unittest.main(verbosity=2)
