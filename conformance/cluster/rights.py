#!/usr/bin/env python3
"""conformance/cluster/rights.py MUSTER [--part NAME] [--keep DIRECTORY]: least privilege on a real API server.

Each of cron-job, ttl, job with pod-ttl, and queue with its webhook runs alone, as the service account and with the roles
that `muster manifests rbac` prints for it, while stories are told that need all of it. The audit log of the API server
must show every right of these roles in use, and no request that was refused. Then each right is taken away, and the
process must not start, and say which is missing. The rights that only an admission plugin asks for
(OwnerReferencesPermissionEnforcement, on here) are taken away from a running process: then its writes must be refused.

Exits with 0 when all held, 1 when not, 77 when something that it needs is not on this machine.
"""

import argparse
import datetime
import functools
import json
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

from cluster import Cluster, Failure, Kubectl, Program, free_port, wait_until, working_directory
from queue_cluster import queue_object
from quota import QUEUE

sys.dont_write_bytecode = True
ACCOUNT = "system:serviceaccount:muster-system:muster"
TOKEN = "/api/v1/namespaces/muster-system/serviceaccounts/muster/token"
DEFAULT = "/api/v1/namespaces/default"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
WORKLOADS = f"{KUEUE}/namespaces/default/workloads"
SECRET = "/api/v1/namespaces/muster-system/secrets/muster-webhook-certificate"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/muster-controllers"
MERGE = "application/merge-patch+json"
PATIENCE = 90
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Metadata", "users": [ACCOUNT]}, {"level": "None"}]}
FLAGS = [
    # The same work is done elsewhere by these. Job TTL and CronJobs have no field that says whose they are.
    "--kube-controller-manager=--controllers=*,-cronjob-controller,-ttl-after-finished-controller",
    "--kube-apiserver=--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
    # A server that does not send what it has at the start of a watch: it is listed.
    "--kube-apiserver=--feature-gates=WatchList=false",
]
# Asked by the process about itself, which every user may.
OF_EVERYONE = {("authorization.k8s.io", "selfsubjectaccessreviews", "create", ""),
               ("authentication.k8s.io", "selfsubjectreviews", "create", "")}
OWN_CONTAINERS = [{"name": "c", "image": "none", "resources": {"requests": {"cpu": "1"}}}]


def is_asked_by_plugin(right):
    return right[1].endswith("/finalizers")


def pod(name, **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", **metadata},
            "spec": {"restartPolicy": "Never", "containers": OWN_CONTAINERS}}


def job(name, metadata=None, pod_metadata=None, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default", **(metadata or {})},
            "spec": {**spec, "template": {"metadata": pod_metadata or {},
                                          "spec": {"restartPolicy": "Never", "containers": OWN_CONTAINERS}}}}


def rights_of(objects):
    """{(group, resource, verb, namespace)} of the roles that are bound to the account; a role of the cluster has none."""
    bound = {(thing["roleRef"]["kind"], thing["metadata"]["name"]) for thing in objects if thing["kind"].endswith("Binding")}
    return {(rule["apiGroups"][0], resource, verb, thing["metadata"].get("namespace", ""))
            for thing in objects if (thing["kind"], thing["metadata"]["name"]) in bound
            for rule in thing["rules"] for resource in rule["resources"] for verb in rule["verbs"]}


def without(objects, right):
    """The roles that change when the right is taken out of all that have it: one of the cluster holds in Muster's own
    namespace, too."""
    group, resource, verb, _ = right
    for thing in objects:
        if thing["kind"] not in ("ClusterRole", "Role"):
            continue
        rules = [{**rule, "verbs": [one for one in rule["verbs"] if one != verb]}
                 if rule.get("resources") == [resource] and rule["apiGroups"] == [group] else rule for rule in thing["rules"]]
        if rules != thing["rules"]:
            yield {**thing, "rules": [rule for rule in rules if rule["verbs"]]}


def shown_name(group, resource):
    """As the process names it: jobs.batch/status."""
    name, _, part = resource.partition("/")
    return name + (f".{group}" if group else "") + (f"/{part}" if part else "")


class Installation:
    """One set of controllers with its rights."""

    def __init__(self, muster, cluster, directory, audit, controllers, *manifest_flags):
        self.cluster, self._audit, self._muster = cluster, audit, muster
        self.kubectl = Kubectl(muster, cluster.kubeconfig)
        self._log = directory / f"muster-{controllers}.log"
        self.ports = {name: free_port() for name in ("webhook", "metrics")}
        self.objects = self._manifests("rbac", controllers, *manifest_flags)
        self._begin = 0
        self._account = directory / "account.kubeconfig"
        self._process = Program(
            self._log, muster, "controllers", "--kubeconfig", self._account, "--controllers", controllers,
            "--leader-elect-resource-namespace", "muster-system", "--webhook-bind-address",
            f"127.0.0.1:{self.ports['webhook']}", "--metrics-bind-address", f"127.0.0.1:{self.ports['metrics']}",
            "--health-bind-address", "127.0.0.1:0")
        if controllers == "queue":
            # With it shares are told in the status of cohorts.
            config = directory / "queues.yaml"
            config.write_text(json.dumps({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                                          "fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}}))
            self._process.command += ["--config", str(config)]
            parts = self._manifests("crds", controllers, *manifest_flags)
            # There is no network between pods: the API server finds the webhook on this machine.
            parts.append({"apiVersion": "v1", "kind": "Service",
                          "metadata": {"name": "muster-webhook", "namespace": "muster-system"},
                          "spec": {"type": "ExternalName", "externalName": "localhost"}})
            self.kubectl.apply(*parts)
            admission = json.dumps(self._manifests("admission", controllers, *manifest_flags))
            self.kubectl.apply(*json.loads(admission.replace('"port": 443', f'"port": {self.ports["webhook"]}')))

    def _manifests(self, part, controllers, *flags):
        done = subprocess.run([self._muster, "manifests", part, f"--controllers={controllers}", "--output=json", *flags],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["items"]

    def write_token(self):
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
        self.token = self.cluster.ask(TOKEN, request)["status"]["token"]
        server = {"server": f"https://127.0.0.1:{self.cluster.server_port()}",
                  "certificate-authority": str(self.cluster.directory / "ca.crt")}
        self._account.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "clusters": [{"name": "c", "cluster": server}],
            "users": [{"name": "c", "user": {"token": self.token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}))

    def start(self):
        self._begin = self._audit.stat().st_size if self._audit.exists() else 0
        self._process.start()

    def stop(self, number=signal.SIGTERM):
        return self._process.stop(number)

    def apply_rights(self):
        self.kubectl.apply(*self.objects)

    def remove_rights(self):
        for thing in self.objects:
            if thing["kind"].endswith("Binding"):
                kind = thing["kind"].lower() + "s"
                space = thing["metadata"].get("namespace")
                where = f"namespaces/{space}/" if space else ""
                self.cluster.ask(f"/apis/rbac.authorization.k8s.io/v1/{where}{kind}/{thing['metadata']['name']}",
                                 method="DELETE")

    def requests(self):
        """The account's requests since the start, as rights, and those that were refused, with why."""
        has = rights_of(self.objects)
        seen, refused = set(), set()
        with open(self._audit, encoding="utf-8") as lines:
            lines.seek(self._begin)
            for line in lines:
                if not line.endswith("\n"):
                    break
                event = json.loads(line)
                reference = event.get("objectRef")
                if not reference or "resource" not in reference:
                    continue
                resource = "/".join(filter(None, [reference["resource"], reference.get("subresource")]))
                asked = (reference.get("apiGroup", ""), resource, event["verb"], reference.get("namespace", ""))
                asked = asked if asked in has else (*asked[:3], "")
                seen.add(asked)
                if event.get("responseStatus", {}).get("code") in (401, 403):
                    refused.add((*asked, event["responseStatus"].get("message", "")))
        return seen, refused

    def says(self):
        return self._log.read_text(encoding="utf-8", errors="replace")

    def check_all_is_used(self):
        wanted = {right for right in rights_of(self.objects) if not is_asked_by_plugin(right)}
        try:
            wait_until("the use of all rights", lambda: wanted <= self.requests()[0], 20)
        except Failure:
            pass
        seen, refused = self.requests()
        if refused:
            raise Failure(f"refused: {sorted(refused)}")
        if wanted - seen:
            raise Failure(f"rights that no story uses: {sorted(wanted - seen)}")
        if seen - wanted - OF_EVERYONE:
            raise Failure(f"requests without a right of their own: {sorted(seen - wanted - OF_EVERYONE)}")
        print(f"    {len(wanted)} rights, all in use", flush=True)

    def check_plugin_rights(self, stories):
        """`stories`: by resource, what makes the process set an owner, and gives the words of the refusal."""
        asked = {right for right in rights_of(self.objects) if is_asked_by_plugin(right)}
        if {right[1] for right in asked} != set(stories):
            raise Failure(f"rights that an admission plugin asks for: {sorted(asked)}")
        for right in sorted(asked):
            self.kubectl.apply(*without(self.objects, right))
            stories[right[1]]()
            words = "cannot set blockOwnerDeletion"
            wait_until(f"a refusal without {right}", lambda: any(words in each[-1] for each in self.requests()[1]), PATIENCE)
            self.kubectl.apply(*self.objects)
            self._begin = self._audit.stat().st_size

    def check_without_each(self):
        count = 0
        for right in sorted(rights_of(self.objects)):
            self.kubectl.apply(*without(self.objects, right))
            self._log.write_text("")
            self.start()
            try:
                code = self._process.wait(30)
            except subprocess.TimeoutExpired:
                self.stop(signal.SIGKILL)
                raise Failure(f"it started without {right}") from None
            needle = f"\n  {right[2]} {shown_name(right[0], right[1])}"
            if code != 1 or needle not in self.says():
                raise Failure(f"without {right} it ended with {code}: {self.says()[-500:]}")
            self.kubectl.apply(*self.objects)
            count += 1
        print(f"    without each of {count} rights it does not start and names it", flush=True)


# Stories --------------------------------------------------------------------------------------------------------------

def is_over(it, name):
    return it.kubectl.job_is_over(name)


def names_of(it, path):
    return {each["metadata"]["name"] for each in it.cluster.ask(path)["items"]}


POLICY = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
          "metadata": {"name": "refuse"}, "spec": {
              "matchConstraints": {"resourceRules": [{"apiGroups": ["batch"], "apiVersions": ["v1"], "resources": ["jobs"],
                                                      "operations": ["CREATE"]}]},
              "validations": [{"expression": "!object.metadata.name.startsWith('refused')", "reason": "Invalid"}]}}
POLICY_BINDING = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
                  "metadata": {"name": "refuse"}, "spec": {"policyName": "refuse", "validationActions": ["Deny"]}}


def tell_cron_job(it):
    """A Job of which nothing is kept, one that a user deletes while it runs, and one that is refused, which is told
    again and again."""
    it.kubectl.apply(POLICY, POLICY_BINDING)
    wait_until("a policy", lambda: it.kubectl.run("create", "-f", "-", "--dry-run=server",
                                                  text=json.dumps(job("refused"))).returncode, PATIENCE)
    template = {"spec": {"template": {"metadata": {"annotations": {"conformance.muster.dev/runs": "true"}},
                                      "spec": {"restartPolicy": "Never", "containers": OWN_CONTAINERS}}}}
    quick = {"spec": {"template": {"spec": template["spec"]["template"]["spec"]}}}
    for name, each in (("quick", quick), ("slow", template), ("refused", quick)):
        it.kubectl.apply({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name, "namespace": "default"},
                          "spec": {"schedule": "* * * * *", "successfulJobsHistoryLimit": 0, "jobTemplate": each}})

    def active():
        return it.cluster.ask(f"{CRON_JOBS}/slow").get("status", {}).get("active", [])

    wait_until("a tick", active, PATIENCE)
    it.cluster.ask(f"{JOBS}/{active()[0]['name']}", {"propagationPolicy": "Background"}, "DELETE")
    wait_until("that the deleted Job is no longer active", lambda: not active(), PATIENCE)
    wait_until("the removal of the finished Job",
               lambda: it.cluster.ask(f"{CRON_JOBS}/quick").get("status", {}).get("lastSuccessfulTime")
               and not any(each.startswith("quick-") for each in names_of(it, JOBS)), PATIENCE)
    it.cluster.ask("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/refuse", method="DELETE")


def tell_ttl(it):
    # A warning is told again, and counted, as long as a Job has finished in the future.
    it.kubectl.apply(job("odd", ttlSecondsAfterFinished=5, managedBy="example.com/controller"))
    then = f"{datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    done = [{"type": kind, "status": "True", "reason": "Done", "lastTransitionTime": then}
            for kind in ("SuccessCriteriaMet", "Complete")]
    it.cluster.ask(f"{JOBS}/odd/status", {"status": {"startTime": then, "completionTime": then, "conditions": done}},
                   "PATCH", MERGE)
    for number in range(2):
        it.cluster.ask(f"{JOBS}/odd", {"metadata": {"annotations": {"touched": str(number)}}}, "PATCH", MERGE)
    it.kubectl.apply(job("brief", ttlSecondsAfterFinished=0))
    wait_until("the removal of a Job", lambda: "brief" not in names_of(it, JOBS), PATIENCE)


MANAGED = {"managedBy": "muster.dev/job-controller"}


def tell_job(it):
    it.kubectl.apply(job("indexed", completions=20, parallelism=5, completionMode="Indexed", **MANAGED))
    it.kubectl.apply(job("late", activeDeadlineSeconds=1, pod_metadata={"annotations": {"conformance.muster.dev/runs": "true"}},
                         **MANAGED))
    tribe = {"labels": {"tribe": "one"}, "annotations": {"conformance.muster.dev/runs": "true"}}
    it.kubectl.apply(pod("stray", **tribe))
    it.kubectl.apply(job("adopting", manualSelector=True, selector={"matchLabels": {"tribe": "one"}}, pod_metadata=tribe,
                         **MANAGED))
    it.kubectl.apply(pod("brief", labels={"muster.dev/ttl-seconds-after-finished": "0"}))
    for name in ("indexed", "late"):
        wait_until(f"the end of job {name}", functools.partial(is_over, it, name), PATIENCE)
    wait_until("an adoption", lambda: it.cluster.ask(f"{DEFAULT}/pods/stray")["metadata"].get("ownerReferences"), PATIENCE)
    wait_until("a running pod", lambda: it.cluster.ask(f"{DEFAULT}/pods/brief")["status"].get("phase") == "Running", PATIENCE)
    it.cluster.ask(f"{DEFAULT}/pods/brief/status", {"status": {"phase": "Succeeded"}}, "PATCH", MERGE)
    wait_until("the removal of a pod", lambda: "brief" not in names_of(it, f"{DEFAULT}/pods"), PATIENCE)
    # The same event again and again is counted.
    it.kubectl.apply(job("again", completions=4, parallelism=1, **MANAGED))
    wait_until("the end of job again", functools.partial(is_over, it, "again"), PATIENCE)


def read_metrics(it):
    """Who asks is looked up by the process, with its own rights."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    request = urllib.request.Request(f"https://127.0.0.1:{it.ports['metrics']}/metrics",
                                     headers={"Authorization": f"Bearer {it.token}"})
    try:
        urllib.request.urlopen(request, context=context, timeout=30).read()
    except urllib.error.HTTPError as error:
        if error.code != 403:  # the account itself may not read them
            raise


def ask_webhook(it, namespace, thing):
    """A review of an object of which the mirrors do not know what it refers to."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "namespace": namespace, "name": thing["metadata"]["name"], "object": thing,
        "kind": {"group": "", "version": "v1", "kind": "Pod"}, "resource": {"group": "", "version": "v1", "resource": "pods"},
        "userInfo": {"username": "another-user"}}}
    for path in ("mutate", "validate"):
        request = urllib.request.Request(f"https://127.0.0.1:{it.ports['webhook']}/{path}", json.dumps(review).encode(),
                                         {"Content-Type": "application/json"})
        urllib.request.urlopen(request, context=context, timeout=30).read()


def condition(thing, kind):
    return any(each["type"] == kind and each["status"] == "True" for each in thing.get("status", {}).get("conditions", []))


def workload_of(it, name):
    for each in it.cluster.ask(WORKLOADS)["items"]:
        if re.fullmatch(rf"(pod|job)-{name}-[0-9a-f]{{5}}", each["metadata"]["name"]):
            return each
    return None


def tell_queue(it):
    it.kubectl.apply(
        queue_object("ResourceFlavor", "any", {}), queue_object("Cohort", "all", {}),
        queue_object("AdmissionCheck", "budget", {"controllerName": "example.com/budget"}),
        queue_object("ClusterQueue", "team", {
            "namespaceSelector": {}, "cohortName": "all", "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                {"name": "any", "resources": [{"name": "cpu", "nominalQuota": "4"}]}]}]}),
        queue_object("ClusterQueue", "checked", {
            "namespaceSelector": {}, "admissionChecksStrategy": {"admissionChecks": [{"name": "budget"}]},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                {"name": "any", "resources": [{"name": "cpu", "nominalQuota": "4"}]}]}]}),
        queue_object("LocalQueue", "door", {"clusterQueue": "team"}),
        queue_object("WorkloadPriorityClass", "high", value=1000))
    door = {QUEUE: "door"}
    runs = {"annotations": {"conformance.muster.dev/runs": "true"}}

    def starts(name):
        wait_until(f"the start of {name}", lambda: condition(workload_of(it, name) or {}, "Admitted"), PATIENCE)

    # A pod starts, is stopped with a condition in its status, and loses its finalizer.
    it.kubectl.apply(pod("alone", labels=door))
    starts("alone")
    wait_until("the run of a pod", lambda: it.cluster.ask(f"{DEFAULT}/pods/alone")["status"].get("phase") == "Running", PATIENCE)
    it.cluster.ask(f"{WORKLOADS}/{workload_of(it, 'alone')['metadata']['name']}", {"spec": {"active": False}}, "PATCH", MERGE)
    wait_until("the removal of a pod", lambda: "alone" not in names_of(it, f"{DEFAULT}/pods"), PATIENCE)

    # A Job is started, and becomes larger: its Workload is made again.
    it.kubectl.apply(job("grows", {"labels": door}, runs, parallelism=1, completions=3))
    starts("grows")
    former = workload_of(it, "grows")["metadata"]["uid"]
    it.cluster.ask(f"{JOBS}/grows", {"spec": {"parallelism": 2}}, "PATCH", MERGE)
    wait_until("another Workload", lambda: (workload_of(it, "grows") or {"metadata": {"uid": former}})["metadata"]["uid"]
               != former, PATIENCE)
    starts("grows")
    it.cluster.ask(f"{JOBS}/grows", {"propagationPolicy": "Background"}, "DELETE")

    # A Job whose controller leaves the time of its start when it is suspended.
    it.kubectl.apply(job("foreign", {"labels": door}, managedBy="example.com/controller"))
    starts("foreign")
    began = {"startTime": "2026-01-01T00:00:00Z"}
    wait_until("the resumption of a Job", lambda: not it.cluster.ask(f"{JOBS}/foreign")["spec"]["suspend"], PATIENCE)
    it.cluster.ask(f"{JOBS}/foreign/status", {"status": {**began, "active": 1}}, "PATCH", MERGE)
    it.cluster.ask(f"{WORKLOADS}/{workload_of(it, 'foreign')['metadata']['name']}", {"spec": {"active": False}}, "PATCH", MERGE)
    wait_until("the suspension of a Job", lambda: it.cluster.ask(f"{JOBS}/foreign")["spec"]["suspend"], PATIENCE)
    it.cluster.ask(f"{JOBS}/foreign/status", {"status": {"active": 0, "conditions": [
        {"type": "Suspended", "status": "True", "reason": "JobSuspended"}]}}, "PATCH", MERGE)
    wait_until("that the start is taken back",
               lambda: not it.cluster.ask(f"{JOBS}/foreign")["status"].get("startTime"), PATIENCE)

    # Certificates are made again when they are lost.
    it.cluster.ask(SECRET, {"data": {"tls.crt": "", "tls.key": ""}}, "PATCH", MERGE)
    wait_until("another certificate", lambda: it.cluster.ask(SECRET)["data"].get("tls.crt"), PATIENCE)

    ask_webhook(it, "not-there", pod("somewhere", labels=door))
    ask_webhook(it, "default", pod("of-a-job", labels=door, ownerReferences=[
        {"apiVersion": "batch/v1", "kind": "Job", "name": "not-there", "uid": "1", "controller": True}]))
    ask_webhook(it, "default", pod("of-a-group", labels={**door, "kueue.x-k8s.io/pod-group-name": "not-there"}))

    # Queues, checks and flavors that are deleted lose their finalizers.
    for path in ("clusterqueues/checked", "admissionchecks/budget", "clusterqueues/team", "resourceflavors/any"):
        it.cluster.ask(f"{KUEUE}/{path}", method="DELETE")
    wait_until("the end of queues", lambda: not names_of(it, f"{KUEUE}/resourceflavors") |
               names_of(it, f"{KUEUE}/admissionchecks"), PATIENCE)


INSTALLATIONS = {
    "cron-job": (("cron-job",), tell_cron_job, {"cronjobs/finalizers": lambda it: None}),  # its next tick is refused
    "ttl": (("ttl",), tell_ttl, {}),
    "job": (("job,pod-ttl",), tell_job,
            {"jobs/finalizers": lambda it: it.kubectl.apply(job("refused", **MANAGED))}),
    "queue": (("queue", "--queue-versions=v1beta1,v1beta2"), tell_queue, {
        "jobs/finalizers": lambda it: it.kubectl.apply(job("refused-queued", {"labels": {QUEUE: "door"}})),
        "pods/finalizers": lambda it: it.kubectl.apply(pod("refused-queued", labels={QUEUE: "door"}))}),
}


def forget(cluster, path):
    try:
        cluster.ask(path, method="DELETE")
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise


def run(muster, directory, cluster, audit, name):
    print(f"== {name}", flush=True)
    flags, tell, by_plugin = INSTALLATIONS[name]
    it = Installation(muster, cluster, directory, audit, *flags)
    try:
        forget(cluster, LEASE)
        it.apply_rights()
        it.write_token()
        it.start()
        wait_until("the metrics", lambda: answers(read_metrics, it), PATIENCE)
        tell(it)
        it.check_all_is_used()
        it.check_plugin_rights({resource: functools.partial(story, it) for resource, story in by_plugin.items()})
        if (code := it.stop()) != 0:
            raise Failure(f"it ended with {code} when it was told to stop")
        it.check_without_each()
        it.remove_rights()
    except Failure as failure:
        raise Failure(f"{name}: {failure}\n{it.says()[-2000:]}") from None
    finally:
        it.stop(signal.SIGKILL)


def answers(ask, *words):
    try:
        ask(*words)
        return True
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("--part", choices=list(INSTALLATIONS))
    parser.add_argument("--keep", type=pathlib.Path, help="where logs and etcd's data stay; must not exist")
    options = parser.parse_args()
    with working_directory(options.keep) as directory:
        audit, policy = directory / "audit.log", directory / "audit.json"
        policy.write_text(json.dumps(AUDIT_POLICY))
        cluster = Cluster(directory / "peers", history=False, flags=[
            *FLAGS, f"--kube-apiserver=--audit-policy-file={policy}", f"--kube-apiserver=--audit-log-path={audit}"])
        try:
            muster = str(pathlib.Path(options.muster).resolve())
            Kubectl(muster, cluster.kubeconfig).apply(
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "muster-system"}})
            for name in [options.part] if options.part else INSTALLATIONS:
                run(muster, directory, cluster, audit, name)
        except Failure as failure:
            print(f"    FAILED: {failure}")
            sys.exit(1)
        finally:
            cluster.close()
    print("rights: ok")


if __name__ == "__main__":
    main()
