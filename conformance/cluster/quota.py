"""Whether quota was kept at every moment of a recorded history (history.py), whatever anyone knew then.

A queued pod uses what it asks for from the moment on at which nothing holds it back until it has ended or is gone, also
while it is being deleted. A Workload has what it has reserved and not given back. At every revision what all Workloads
have is within the quota, and what the pods of each use is within what it has.
"""

import collections
import json

import history

WORKLOADS = "/registry/kueue.x-k8s.io/workloads/"
PREFIXES = (history.JOBS, history.PODS, WORKLOADS)
QUEUE = "kueue.x-k8s.io/queue-name"
GROUP = "kueue.x-k8s.io/pod-group-name"


def owner_of(thing, kind):
    for owner in thing["metadata"].get("ownerReferences", []):
        if owner["kind"] == kind and owner.get("controller"):
            return owner["uid"]
    return None


def payer_of(pod):
    """What the Workload is found by that pays for the pod; None when the pod has nothing to do with queues."""
    labels = pod["metadata"].get("labels", {})
    if GROUP in labels:
        return labels[GROUP]
    if QUEUE in labels:
        return pod["metadata"]["uid"]
    return owner_of(pod, "Job")


def is_in_use(pod):
    return not pod["spec"].get("schedulingGates") and pod["status"].get("phase") not in ("Succeeded", "Failed")


def cpus(text):
    return int(text[:-1]) if text.endswith("m") else 1000 * int(text)


def request_of(pod):
    return sum(cpus(each["resources"]["requests"]["cpu"]) for each in pod["spec"]["containers"])


def reserved_by(workload):
    status = workload.get("status", {})
    true = {each["type"] for each in status.get("conditions", []) if each["status"] == "True"}
    if "QuotaReserved" not in true or "Finished" in true:
        return 0
    counts = {each["name"]: each["count"] for each in workload["spec"]["podSets"]}
    for each in status.get("reclaimablePods", []):
        counts[each["name"]] -= each["count"]
    total = 0
    for each in status["admission"]["podSetAssignments"]:
        total += cpus(each["resourceUsage"]["cpu"]) // each["count"] * min(each["count"], counts[each["name"]])
    return total


class QuotaJudge:
    """Told the changes one by one. `problems` has sentences."""

    def __init__(self, quota):
        self._quota = 1000 * quota
        self._in_use = collections.defaultdict(dict)  # by payer: the request and a description, by the pod's UID
        self._payers = {}  # by the pod's key
        self._reserved = {}  # by the Workload's key
        self._keys = {}  # of Workloads, by payer
        self.most_in_use = self.most_reserved = self.uses = 0
        self.problems = []

    def follow(self, change):
        if change["key"].startswith(history.PODS):
            self._follow_pod(change["key"], change.get("object"))
        elif change["key"].startswith(WORKLOADS):
            self._follow_workload(change["key"], change.get("object"))
        else:
            return
        self._judge(change["revision"])

    def _follow_pod(self, key, pod):
        if key in self._payers:
            payer, uid = self._payers.pop(key)
            self._in_use[payer].pop(uid, None)
        payer = payer_of(pod) if pod else None
        if not payer:
            return
        self._payers[key] = payer, pod["metadata"]["uid"]
        if is_in_use(pod):
            leaves = ", being deleted" if "deletionTimestamp" in pod["metadata"] else ""
            self.uses += 1
            self._in_use[payer][pod["metadata"]["uid"]] = (
                request_of(pod), f"{pod['metadata']['name']} ({pod['status'].get('phase')}{leaves})")

    def _follow_workload(self, key, workload):
        if not workload:
            self._reserved.pop(key, None)
            return
        self._reserved[key] = reserved_by(workload)
        self._keys[workload["metadata"]["name"]] = key
        for owner in workload["metadata"].get("ownerReferences", []):
            self._keys[owner["uid"]] = key

    def _judge(self, revision):
        def tell(what):
            pods = [text for used in self._in_use.values() for _, text in used.values()]
            has = {key.removeprefix(WORKLOADS): amount for key, amount in self._reserved.items() if amount}
            self.problems.append(f"revision {revision}: {what}; pods in use: {', '.join(pods)}; reserved: {has}")

        in_use = sum(amount for used in self._in_use.values() for amount, _ in used.values())
        reserved = sum(self._reserved.values())
        self.most_in_use, self.most_reserved = max(self.most_in_use, in_use), max(self.most_reserved, reserved)
        if in_use > self._quota:
            tell(f"pods use {in_use}m of {self._quota}m")
        if reserved > self._quota:
            tell(f"{reserved}m of {self._quota}m are reserved")
        for payer, used in self._in_use.items():
            needed = sum(amount for amount, _ in used.values())
            has = self._reserved.get(self._keys.get(payer), 0)
            if needed > has:
                tell(f"{', '.join(text for _, text in used.values())} with {needed}m have {has}m")


def judge(path, quota):
    verdict = QuotaJudge(quota)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            verdict.follow(json.loads(line))
    return verdict


if __name__ == "__main__":
    import sys

    found = judge(sys.argv[1], int(sys.argv[2]))
    print(f"{found.most_in_use}m in use and {found.most_reserved}m reserved at most, {found.uses} versions of pods in use")
    print("\n".join(found.problems))
