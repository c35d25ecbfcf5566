#!/usr/bin/env python3
"""conformance/cluster/queues.py MUSTER [--part NAME] [--seconds S] [--seed N] [--keep DIRECTORY]: queues on a real cluster.

Kubernetes' own control plane runs the Jobs. `muster controllers --controllers queue` has the rights and the admission
webhook that `muster manifests` prints, with a certificate of its own, and decides what may start. Pods of kwok run until
this script ends them; pods of Jobs end at once. At the end the history that etcd has kept is judged (quota.py).

  stories   what users do, one after the other, with one replica
  chaos     two replicas behind a Service, who are killed, stopped for a while and cut off, while many pods, groups and
            Jobs of two priorities are created, for --seconds: pods without a queue are never refused, none with a queue
            is created without its gate, and all come to their end

Exits with 0 when all held, 1 when not, 77 when something that it needs is not on this machine.
"""

import argparse
import pathlib
import random
import signal
import sys

import quota
from cluster import Failure, wait_until, working_directory
from queue_chaos import QueueChaos
from quota import GROUP
from queue_cluster import PATIENCE, POD, PRIORITY, QUOTA, RUNS, Queues, pod, queued, queued_job

sys.dont_write_bytecode = True
TOTAL = "kueue.x-k8s.io/pod-group-total-count"
MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"


def check_pods(queues):
    """KEP-976, story 1: plain pods wait for quota."""
    for number in range(6):
        queues.kubectl.apply(queued(f"plain-{number}"))
    first = queues.await_running("the start of four pods", lambda names: len(names) == QUOTA)
    queues.finish(first[0], first[1])
    queues.await_running("the start of the others", lambda names: len(names) == QUOTA and set(names) != set(first))
    queues.finish_all()


def check_group(queues):
    """KEP-976, stories 2 and 3: pods of a group start together."""
    labels, annotations = {GROUP: "trio"}, {TOTAL: "3"}
    for number in range(2):
        queues.kubectl.apply(queued(f"trio-{number}", labels=labels, annotations=annotations))
    queues.kubectl.apply(queued("alone"))
    queues.await_running("the start of a pod beside the group", lambda names: names == ["alone"])
    queues.kubectl.apply(queued("trio-2", labels=labels, annotations=annotations))
    queues.await_running("the start of the group", lambda names: names == ["alone", "trio-0", "trio-1", "trio-2"])
    queues.finish_all()


def check_jobs(queues):
    """Jobs of kube-controller-manager; one takes fewer pods at once than it asked for."""
    queues.kubectl.apply(queued_job("plain", 20, QUOTA),
                         queued_job("partial", 12, 12, {MIN_PARALLELISM: "2"}))
    for name in ("plain", "partial"):
        wait_until(f"the end of job {name}", lambda each=name: queues.kubectl.job_is_over(each), PATIENCE)
    parallelism = queues.kubectl.get("job", "partial")["spec"]["parallelism"]
    if not 2 <= parallelism <= QUOTA:
        raise Failure(f"the Job with partial admission had parallelism {parallelism}")


def check_preemption(queues):
    for number in range(QUOTA):
        queues.kubectl.apply(queued(f"low-{number}"))
    queues.await_running("the start of low pods", lambda names: len(names) == QUOTA)
    queues.kubectl.apply(queued("high", "high"))
    names = queues.await_running("the start of the high pod", lambda names: "high" in names)
    if len(names) != QUOTA:
        raise Failure(f"one pod was to be stopped: {names} run")
    queues.finish_all()


def check_preemption_of_a_job(queues):
    """What kube-controller-manager makes of a Job that is stopped, and starts again, while its pods run."""
    queues.kubectl.apply(queued_job("low", 2, 2, labels={PRIORITY: "low"}, pod_annotations=RUNS))
    queues.kubectl.apply(queued("low-beside"), queued("low-beside-too"))
    before = queues.await_running("the start of a Job and two pods", lambda names: len(names) == QUOTA)
    queues.kubectl.apply(queued_job("high", 4, 4, labels={PRIORITY: "high"}, pod_annotations=RUNS))
    high = queues.await_running("the start of the high Job alone",
                                lambda names: len(names) == QUOTA and not set(names) & set(before))
    if not queues.kubectl.get("job", "low")["spec"].get("suspend"):
        raise Failure("the low Job is not suspended")
    queues.finish(*high)
    again = queues.await_running("the second start of the low Job", lambda names: len(names) == 2)
    if set(again) & set(before):
        raise Failure(f"pods of the first start run on: {again}")
    queues.finish(*again)
    for name in ("high", "low"):
        wait_until(f"the end of job {name}", lambda each=name: queues.kubectl.job_is_over(each), PATIENCE)


def check_node_that_does_not_answer(queues):
    """A pod that is to make room is deleted by force, as operators do when a node is gone."""
    queues.kubectl.apply(*(queued(f"silent-{number}") for number in range(QUOTA)))
    queues.await_running("the start of pods", lambda names: len(names) == QUOTA)
    queues.cluster.kill("kwok", signal.SIGSTOP)
    queues.kubectl.apply(queued("patient", "high"))

    def leaving():
        return [name for name, each in queues.pods().items() if "deletionTimestamp" in each["metadata"]]

    wait_until("the eviction of a pod", leaving, PATIENCE)
    queues.cluster.ask(f"{POD}/{leaving()[0]}", {"gracePeriodSeconds": 0}, "DELETE")
    wait_until("the start of the pod with the high priority",
               lambda: not queues.pods()["patient"]["spec"].get("schedulingGates"), PATIENCE)
    queues.cluster.kill("kwok", signal.SIGCONT)
    queues.await_running("the run of the pod with the high priority", lambda names: "patient" in names)
    queues.finish_all()


def check_webhook_is_needed_by_few(queues):
    """Without Muster, pods that have nothing to do with queues start, and others are refused."""
    queues.kill()
    if refusal := queues.create(pod("unrelated")):
        raise Failure(f"a pod without a queue was refused: {refusal}")
    refusal = queues.create(queued("too-early"))
    if "muster.dev" not in refusal:
        raise Failure(f"a pod with a queue was not refused by the webhook: {refusal or 'it was created'}")
    queues.start()
    wait_until("the webhook's return", lambda: not queues.create(queued("in-time")), PATIENCE)
    queues.await_running("the start of both", lambda names: names == ["in-time", "unrelated"])
    queues.finish_all()


def check_quota(queues, path):
    """At no moment was more in use than the quota, from the history in etcd."""
    queues.cluster.record(path, *quota.PREFIXES)
    verdict = quota.judge(path, QUOTA)
    print(f"    at most {verdict.most_in_use}m of {QUOTA} processors in use, {verdict.most_reserved}m reserved")
    if verdict.problems:
        raise Failure(f"the quota was not kept {len(verdict.problems)} times:\n    " + "\n    ".join(verdict.problems[:5]))
    if max(verdict.most_in_use, verdict.most_reserved) < 1000 * QUOTA:
        raise Failure("the history does not show what was in use")


CHECKS = [check_pods, check_group, check_jobs, check_preemption, check_preemption_of_a_job,
          check_node_that_does_not_answer, check_webhook_is_needed_by_few]


def run_stories(options, directory):
    queues = Queues(options.muster, directory)
    try:
        queues.install()
        for check in CHECKS:
            print(f"    {check.__name__.removeprefix('check_')}", flush=True)
            check(queues)
        check_quota(queues, directory / "history.jsonl")
    finally:
        queues.close()


def run_chaos(options, directory):
    queues = Queues(options.muster, directory, replicas=2, seed=options.seed)
    try:
        queues.install()
        chaos = QueueChaos(queues, random.Random(options.seed))
        chaos.go_on(options.seconds)
        chaos.come_to_an_end()
        check_quota(queues, directory / "history.jsonl")
    finally:
        queues.close()


PARTS = {"stories": run_stories, "chaos": run_chaos}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("muster")
    parser.add_argument("--part", action="append", choices=list(PARTS), help="only this part; may be given again")
    parser.add_argument("--seconds", type=int, default=120, help="of chaos")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--keep", type=pathlib.Path, help="where logs, etcd's data and the history stay; must not exist")
    options = parser.parse_args()
    options.muster = str(pathlib.Path(options.muster).resolve())
    failed = False
    for name in options.part or list(PARTS):
        with working_directory(options.keep and options.keep / name) as directory:
            print(f"== {name}" + (f" (seed {options.seed})" if name == "chaos" else ""), flush=True)
            try:
                PARTS[name](options, directory)
            except Failure as failure:
                failed = True
                print(f"    FAILED: {failure}")
                for log in sorted(directory.glob("muster-*.log")):
                    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:]
                    print("".join(f"    {log.name}: {line}\n" for line in lines), flush=True)
    if failed:
        sys.exit(1)
    print("queues: ok")


if __name__ == "__main__":
    main()
