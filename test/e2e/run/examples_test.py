"""Every example runs to its end, and does what it says."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
from run_case import ROOT, RunCase, has_namespaces  # noqa: E402

EXAMPLES = ROOT / "examples"


class Examples(RunCase):
    def example(self, name, *flags):
        return self.run_muster("--logs", *flags, EXAMPLES / name)

    def test_primes(self):
        ended = self.example("primes.yaml")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(sum(int(line.split()[1]) for line in ended.out.splitlines() if "primes from" in line), 78498)
        self.assertRegex(ended.err, r"index 3 \(pod .*\) failed: exit code 1\n")
        self.assertIn("3: something went wrong", ended.out.splitlines())
        self.assertIn("primes: complete, 10/10 done", ended.err)

    def test_index_arguments(self):
        ended = self.example("index-arguments.yaml")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(sorted(ended.out.splitlines()),
                         [f"{i}: input-{i}.txt becomes output-{i}.txt" for i in range(5)])

    @unittest.skipUnless(has_namespaces(), "this machine gives no mount namespaces")
    def test_headless_workers(self):
        ended = self.example("headless-workers.yaml")
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        self.assertIn("0: heard of worker 1, worker 2, worker 3", ended.out.splitlines())

    def test_retry_per_index(self):
        ended = self.example("retry-per-index.yaml")
        self.assertEqual(ended.code, 1, ended.err)
        self.assertRegex(ended.err, "retry-per-index: failed, 4/5 done .*failed indexes: 1")
        self.assertIn("3: part 3 is done", ended.out.splitlines())

    def test_failure_policy(self):
        ended = self.example("failure-policy.yaml")
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("PodFailurePolicy: ", ended.err)
        self.assertRegex(ended.err, r"index 1 \(pod .*\) failed: exit code 7")
        self.assertRegex(ended.err, r"index 2 \(pod .*\) failed: exit code 42")

    def test_success_policy(self):
        ended = self.example("success-policy.yaml")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("0: the leader has seen enough", ended.out.splitlines())
        self.assertIn("success-policy: complete, 1/3 done", ended.err)

    def test_ttl(self):
        server = self.start_server()
        ended = self.example("ttl.yaml")
        self.assertEqual((ended.code, ended.out), (0, "soon gone\n"), ended.err)
        self.wait_until("the Job is gone", lambda: self.ask("get", "job", "ttl").returncode == 1)
        self.wait_until("its pod is gone", lambda: self.ask("get", "pods", "-o", "name").stdout == "")
        server.terminate()
        server.wait()

    def test_cron_job(self):
        server = self.start_server()
        ended = self.example("cron-job.yaml")
        self.assertEqual((ended.code, ended.out), (0, "the first report\n"), ended.err)
        self.assertIn("cronjob.batch/report created", ended.err)
        self.wait_until("the minute is full", lambda: "job.batch/report-" in self.ask("get", "jobs", "-o", "name").stdout)
        name = [n for n in self.ask("get", "jobs", "-o", "name").stdout.split() if "/report-" in n][0]
        done = self.ask("wait", name, "--for=condition=complete", "--timeout=60s")
        self.assertEqual(done.returncode, 0, done.stderr)
        server.terminate()
        server.wait()

    def test_work_queue(self):
        ended = self.example("work-queue.yaml")
        self.assertEqual(ended.code, 0, ended.err)
        worked = sorted(line.split(": ", 1)[1] for line in ended.out.splitlines())
        self.assertEqual(worked, sorted(f"worked on item {i}" for i in range(1, 13)), "each item once")

    @unittest.skipUnless(has_namespaces(), "this machine gives no mount namespaces")
    def test_queueing(self):
        server = self.start_server("--pod-user", "same")  # the driver, a service account, creates pods
        for name in ("queues", "single-pod", "group", "driver", "job"):
            applied = self.ask("apply", "-f", str(EXAMPLES / "queueing" / f"{name}.yaml"))
            self.assertEqual(applied.returncode, 0, applied.stderr)
        told = {"single": "my turn\n", "group-driver": "the driver\n", "group-worker-1": "worker 1\n",
                "driver": "made driven-worker-0 driven-worker-1 driven-worker-2\nall workers are done\n",
                "driven-worker-2": "worker 2\n"}
        for name, said in told.items():
            self.wait_until(f"{name} has run", lambda: self.ask("logs", name).stdout == said)
        for name in ("group", "driven"):
            done = self.ask("wait", f"workload/{name}", "--for=condition=Finished", "--timeout=60s")
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.ask("wait", "job/queued", "--for=condition=complete", "--timeout=60s")
        self.assertEqual(done.returncode, 0, done.stderr)
        server.terminate()
        server.wait()

    def test_none_is_left_out(self):
        told = {name[len("test_"):].replace("_", "-") + ".yaml" for name in dir(self) if name.startswith("test_")}
        self.assertEqual({path.name for path in EXAMPLES.glob("*.yaml")} - told, set())
        listed = (EXAMPLES / "README.md").read_text()
        for path in EXAMPLES.glob("*.yaml"):
            self.assertIn(f"({path.name})", listed)


if __name__ == "__main__":
    unittest.main()
