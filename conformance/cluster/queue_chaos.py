"""Users who create queued work all the time while what serves their queues dies, stands still and is cut off."""

import json
import signal
import time
import urllib.error

from cluster import Failure, wait_until
from quota import GROUP
from queue_cluster import POD, PRIORITY, RUNS, pod, queued, queued_job

JOBS = "/apis/batch/v1/namespaces/default/jobs"
GATE = "kueue.x-k8s.io/admission"
TOTAL = "kueue.x-k8s.io/pod-group-total-count"
WAITING_MAX = 12  # pods that have not ended
PATIENCE = 300


class QueueChaos:
    def __init__(self, queues, chance):
        self._queues, self._chance = queues, chance
        self._created = {"pods": 0, "groups": 0, "jobs": 0, "unrelated": 0}
        self._refused = 0
        self._happened = {}
        self._stopped = {}  # replicas, by when they go on

    def go_on(self, seconds):
        deadline = time.monotonic() + seconds
        next_strike = 0
        while time.monotonic() < deadline:
            self._revive()
            self._work()
            if time.monotonic() > next_strike:
                self._strike()
                next_strike = time.monotonic() + self._chance.uniform(1, 5)
        print(f"    created {self._created}; {self._refused} refusals; {self._happened}; "
              f"credentials replaced {self._queues.rotation.replaced} times", flush=True)
        if not self._refused or not all(self._created.values()):
            raise Failure("the chaos was too tame to show anything")

    def come_to_an_end(self):
        for replica in self._queues.replicas:
            replica.send(signal.SIGCONT)
        self._stopped.clear()

        def nothing_left():
            self._queues.start()
            self._end_some(1)
            return not self._unended()

        try:
            wait_until("the end of all work", nothing_left, PATIENCE)
        except Failure as failure:
            raise Failure(f"{failure}; left: {sorted(self._unended())}") from None

    # What happens to the replicas ---------------------------------------------------------------------------------

    def _strike(self):
        name = self._chance.choice(["kill", "kill all", "stop", "stop", "cut"])
        self._happened[name] = self._happened.get(name, 0) + 1
        if name == "cut":
            self._chance.choice(self._queues.proxies).cut(self._chance.random())
        elif name == "stop":
            replica = self._chance.choice(self._queues.replicas)
            replica.send(signal.SIGSTOP)
            self._stopped[replica] = time.monotonic() + self._chance.uniform(1, 20)
        else:
            victims = self._queues.replicas if name == "kill all" else [self._chance.choice(self._queues.replicas)]
            for replica in victims:
                self._stopped.pop(replica, None)
                replica.stop(signal.SIGKILL)

    def _revive(self):
        for replica, until in list(self._stopped.items()):
            if time.monotonic() > until:
                replica.send(signal.SIGCONT)
                del self._stopped[replica]
        # Now and then one stays away for a while.
        if self._chance.random() < 0.3:
            self._queues.start()

    # What users do ------------------------------------------------------------------------------------------------

    def _work(self):
        self._end_some(0.5)
        if len(self._unended()) > WAITING_MAX:
            return
        number = sum(self._created.values())
        kind = self._chance.choice(["pods", "pods", "groups", "jobs", "unrelated"])
        priority = self._chance.choice(["low", "high"])
        if kind == "unrelated":
            things = [pod(f"unrelated-{number}")]
        elif kind == "groups":
            size = self._chance.randint(2, 3)
            things = [queued(f"group-{number}-{each}", priority, labels={GROUP: f"group-{number}"},
                             annotations={TOTAL: str(size)}) for each in range(size)]
        elif kind == "jobs":
            things = [queued_job(f"job-{number}", self._chance.randint(1, 6), self._chance.randint(1, 4),
                                 labels={PRIORITY: priority}, pod_annotations=self._chance.choice([RUNS, {}]))]
        else:
            things = [queued(f"pod-{number}", priority)]
        for thing in things:
            self._create(thing)
        self._created[kind] += 1

    def _create(self, thing):
        """Until it is created, as a controller of users does."""
        is_job, name = thing["kind"] == "Job", thing["metadata"]["name"]

        def created():
            try:
                made = self._queues.cluster.ask(JOBS if is_job else POD, thing)
            except urllib.error.HTTPError as error:
                message = json.load(error).get("message", "")
                if error.code == 409:
                    return True
                if name.startswith("unrelated") or "muster.dev" not in message:
                    raise Failure(f"{name} was refused: {message}") from None
                self._refused += 1
                self._revive()
                return False
            gates = [each["name"] for each in made["spec"].get("schedulingGates", [])]
            if not name.startswith("unrelated") and not (made["spec"].get("suspend") if is_job else GATE in gates):
                raise Failure(f"{name} was created and does not wait for quota")
            return True

        wait_until(f"the creation of {name}", created, PATIENCE)

    def _end_some(self, share):
        for name in self._queues.running():
            if self._chance.random() > share:
                continue
            try:
                self._queues.finish(name)
            except urllib.error.HTTPError as error:
                if error.code not in (404, 409):  # it has been evicted
                    raise

    def _unended(self):
        """Pods and Jobs that have not ended."""
        left = {name for name, each in self._queues.pods().items()
                if each["status"].get("phase") not in ("Succeeded", "Failed")}
        jobs = self._queues.cluster.ask(JOBS)["items"]
        return left | {each["metadata"]["name"] for each in jobs
                       if not any(one["type"] in ("Complete", "Failed") and one["status"] == "True"
                                  for one in each["status"].get("conditions", []))}

