"""`muster run -- COMMAND`: like a command that was typed, and many of them at once."""

import os
import pty
import select
import signal
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from run_case import MUSTER, RunCase  # noqa: E402


class OneCommand(RunCase):
    def test_its_output_is_the_runs_own(self):
        ended = self.run_muster("--", "sh", "-c", "echo to out; echo to err >&2")
        self.assertEqual((ended.code, ended.out, ended.err), (0, "to out\n", "to err\n"))

    def test_it_runs_where_it_was_typed_with_the_callers_environment(self):
        program = self.write("own-program", "#!/bin/sh\necho $PWD $COLOUR $JOB_COMPLETION_INDEX \"$@\"\n")
        program.chmod(0o755)
        environment = {**os.environ, "COLOUR": "green $(HOME) $$"}
        ended = self.run_muster("--", "./own-program", "$HOME", "$(date)", "$JOB_COMPLETION_INDEX", env=environment)
        self.assertEqual(ended.out, f"{self.work} green $(HOME) $$ 0 $HOME $(date) 0\n", ended.err)

    def test_variables_and_the_directory_can_be_chosen(self):
        environment = {**os.environ, "SECRET": "x", "PASSED": "yes"}
        ended = self.run_muster("--clean-env", "--env", "A=1 2", "--env", "PASSED", "--workdir", "/", "--", "sh", "-c",
                                'echo "$PWD,$A,$PASSED,$SECRET"', env=environment)
        self.assertEqual(ended.out, "/,1 2,yes,\n", ended.err)

    def test_a_failure_is_told_at_once_and_exits_with_1(self):
        ended = self.run_muster("--", "sh", "-c", "echo before; exit 3")
        self.assertEqual((ended.code, ended.out), (1, "before\n"))
        self.assertIn("failed: exit code 3", ended.err)
        self.assertIn("BackoffLimitExceeded", ended.err)

    def test_a_program_that_is_not_there_is_said_so_plainly(self):
        ended = self.run_muster("--", "no-such-program", "x")
        self.assertEqual(ended.code, 1)
        self.assertIn('exec: "no-such-program": executable file not found in $PATH', ended.err)

    def test_a_directory_that_is_not_there_fails_too(self):
        ended = self.run_muster("--workdir", "/nowhere/at/all", "--", "true")
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("/nowhere/at/all", ended.err)

    def test_it_is_tried_again_when_asked(self):
        ended = self.run_muster("--retries", "1", "--", "sh", "-c", "echo try >> tries; [ $(wc -l < tries) = 2 ]")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(len(self.lines("tries")), 2)

    def test_finished_work_runs_again(self):
        for expected in (1, 2):
            self.assertEqual(self.run_muster("--", "sh", "-c", "echo run >> runs").code, 0)
            self.assertEqual(len(self.lines("runs")), expected)

    def test_quiet_and_json(self):
        ended = self.run_muster("--quiet", "--completions", "3", "--", "true")
        self.assertEqual((ended.code, ended.out, ended.err), (0, "", ""))
        ended = self.run_muster("--json", "--completions", "3", "--name", "told", "--", "sh", "-c",
                                "echo said; exit $JOB_COMPLETION_INDEX")
        self.assertEqual((ended.code, ended.err), (1, ""))
        self.assertEqual({(f["index"], f["exitCode"], f["logTail"]) for f in self.events(ended, "failed")},
                         {(1, 1, "said\n"), (2, 2, "said\n")})
        end, = self.events(ended, "ended")
        self.assertEqual((end["outcome"], end["done"], end["total"], end["failedIndexes"]), ("failed", 1, 3, "1,2"))

    def test_rm_leaves_nothing(self):
        self.assertEqual(self.run_muster("--rm", "--name", "gone", "--", "true").code, 0)
        self.assertEqual(self.run_muster("--name", "kept", "--", "true").code, 0)
        server = self.start_server()
        self.assertEqual(self.ask("get", "jobs", "-o", "name").stdout, "job.batch/kept\n")
        self.assertNotIn("gone", self.ask("get", "pods", "-o", "name").stdout)
        server.terminate()
        server.wait()


class ManyIndexes(RunCase):
    def test_each_index_runs_once_with_its_index(self):
        program = self.write("process", "#!/bin/sh\necho $2 >> seen\n")
        program.chmod(0o755)
        ended = self.run_muster("--completions", "50", "--parallelism", "8", "--", "./process", "--index",
                                "$JOB_COMPLETION_INDEX")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(sorted(map(int, self.lines("seen"))), list(range(50)))
        self.assertRegex(ended.err, r"process-[0-9a-f]{8}: complete, 50/50 done in ")

    def test_those_that_fail_are_named_with_their_last_lines_and_the_others_go_on(self):
        ended = self.run_muster("--completions", "6", "--", "sh", "-c",
                                "echo on it; [ $JOB_COMPLETION_INDEX != 4 ] || { echo went wrong >&2; exit 9; }")
        self.assertEqual(ended.code, 1)
        self.assertRegex(ended.err, r"index 4 \(pod .*\) failed: exit code 9\n    on it\n    went wrong\n    \(/")
        self.assertRegex(ended.err, r"failed, 5/6 done in .*, failed indexes: 4")

    def test_logs_prints_what_each_wrote(self):
        ended = self.run_muster("--logs", "--completions", "3", "--", "echo", "I am $JOB_COMPLETION_INDEX")
        self.assertEqual(sorted(ended.out.splitlines()), ["0: I am 0", "1: I am 1", "2: I am 2"])

    def test_no_more_at_once_than_asked(self):
        body = "mkdir here || { echo two at once; exit 1; }; sleep 0.05; rmdir here"
        ended = self.run_muster("--completions", "8", "--parallelism", "1", "--", "sh", "-c", body)
        self.assertEqual(ended.code, 0, ended.err)


class CarryingOn(RunCase):
    BODY = "echo $JOB_COMPLETION_INDEX >> seen; sleep 0.2; echo $JOB_COMPLETION_INDEX >> done"
    COMMAND = ("--completions", "40", "--parallelism", "4", "--", "sh", "-c", BODY)

    def check_all_done_once(self):
        self.assertEqual(sorted(map(int, self.lines("done"))), list(range(40)), "each index ended exactly once")

    def test_killed_the_same_command_does_the_rest_and_nothing_twice(self):
        for done in (5, 15, 25):
            run = self.begin(*self.COMMAND)
            self.wait_until(f"{done} are done", lambda: len(self.lines("done")) >= done)
            run.kill()
            run.communicate()
        ended = self.run_muster(*self.COMMAND)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("carries on", ended.err)
        self.check_all_done_once()
        self.assertEqual(len(self.lines("seen")), 40, "what ran when it was killed ran on")

    def test_interrupted_it_stops_what_runs_and_the_same_command_carries_on(self):
        run = self.begin(*self.COMMAND)
        self.wait_until("some are done", lambda: len(self.lines("done")) >= 6)
        run.send_signal(signal.SIGINT)
        ended = self.finish(run)
        self.assertEqual(ended.code, 130, ended.err)
        self.assertIn("Run the same command to resume.", ended.err)
        before = self.lines("done")
        self.assertLess(len(before), 40)
        self.assertEqual([pid for pid in self.processes_of_node()], [], "nothing runs any more")
        ended = self.run_muster("--json", *self.COMMAND)
        self.assertEqual(ended.code, 0, ended.err)
        start, = self.events(ended, "started")
        self.assertTrue(start["resumed"])
        # Those that ended while they were being stopped run again, as everywhere when a Job is suspended: at most as
        # many as ran.
        self.assertGreaterEqual(start["done"], len(before) - 4)
        self.assertEqual(len(self.lines("done")), len(before) + 40 - start["done"], "what was finished is not done again")
        self.assertEqual(sorted(set(map(int, self.lines("done")))), list(range(40)))

    def test_interrupted_a_job_in_a_queue_stands_still_until_the_same_command_carries_on(self):
        queues = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: plain}
spec: {nodeLabels: {kubernetes.io/os: linux}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: plain, resources: [{name: cpu, nominalQuota: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: default}
spec: {clusterQueue: all}
"""
        job = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: queued, labels: {{kueue.x-k8s.io/queue-name: q}}}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: none
        command: [sh, -c, "echo run >> seen; test -e go && exit 0; sleep 60"]
        workingDir: {self.work}
        resources: {{requests: {{cpu: 1}}}}
"""
        server = self.start_server()
        applied = self.ask("apply", "-f", str(self.write("queues.yaml", queues)))
        self.assertEqual(applied.returncode, 0, applied.stderr)
        manifest = self.write("job.yaml", job)
        run = self.begin("-f", manifest)
        self.wait_until("it runs", lambda: self.lines("seen"))
        run.send_signal(signal.SIGINT)
        ended = self.finish(run)
        self.assertEqual(ended.code, 130, ended.err)
        self.assertIn("queued: waits in the queue q", ended.err)
        # Another Job of the queue runs from begin to end on the quota that it has left.
        self.write("go", "")
        other = self.run_muster("-f", self.write("other.yaml", job.replace("name: queued", "name: other")))
        self.assertEqual(other.code, 0, other.err)
        self.assertEqual(self.ask("get", "job", "queued", "-o", "jsonpath={.spec.suspend}").stdout, "true")
        self.assertEqual(len(self.lines("seen")), 2, "it has not run again")
        self.assertEqual(self.ask("get", "job", "queued", "-o", "jsonpath={.spec.template.spec.nodeSelector}").stdout,
                         "", "where it ran is no part of it")
        ended = self.run_muster("-f", manifest)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(len(self.lines("seen")), 3)
        server.terminate()
        server.wait()

    def test_two_interrupts_leave_at_once(self):
        run = self.begin("--", "sh", "-c", "trap '' TERM; echo ready > ready; sleep 60 & wait; wait")
        self.wait_until("it runs", lambda: self.lines("ready"))
        run.send_signal(signal.SIGINT)
        self.wait_until("it says so", lambda: "Press Ctrl-C again" in run.stderr.readline())
        run.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(run).code, 130)

    def test_other_work_under_the_same_name_is_refused(self):
        run = self.begin("--name", "mine", "--", "sh", "-c", "echo ready > ready; sleep 60")
        self.wait_until("it runs", lambda: self.lines("ready"))
        run.kill()
        run.communicate()
        ended = self.run_muster("--name", "mine", "--", "echo", "other")
        self.assertEqual(ended.code, 2)
        self.assertIn('the Job "mine" is there, has not ended and is other work', ended.err)


class BesideOthers(RunCase):
    def test_it_uses_the_server_that_has_the_data_directory(self):
        server = self.start_server()
        ended = self.run_muster("--name", "guest", "--completions", "4", "--", "echo", "hello")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("4/4", self.ask("get", "job", "guest").stdout)
        ended = self.run_muster("--", "sh", "-c", "echo out; exit 5")
        self.assertEqual((ended.code, ended.out), (1, "out\n"), ended.err)
        server.terminate()
        server.wait()

    def test_two_runs_share_a_data_directory_and_the_second_outlives_the_first(self):
        first = self.begin("--", "sh", "-c", "echo a >> ready; sleep 1")
        self.wait_until("the first runs", lambda: self.lines("ready"))
        second = self.begin("--completions", "3", "--parallelism", "1", "--", "sh", "-c",
                            "sleep 1; echo $JOB_COMPLETION_INDEX >> done")
        self.assertEqual(self.finish(first).code, 0)
        ended = self.finish(second)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(sorted(self.lines("done")), ["0", "1", "2"], "none ran twice")


class OnATerminal(RunCase):
    def watch(self, *arguments, columns=60):
        """What the terminal of a run shows, and how it exits."""
        ours, theirs = pty.openpty()
        import fcntl
        import termios
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([MUSTER, "run", "--data-dir", str(self.data), *arguments], stdin=theirs,
                                   stdout=theirs, stderr=theirs, cwd=self.work)
        self.started.append(process)
        os.close(theirs)
        shown = b""
        while True:
            try:
                if not select.select([ours], [], [], 60)[0]:
                    self.fail("the terminal went silent")
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        return process.wait(), shown.decode()

    def test_a_line_lives_within_the_terminals_width(self):
        code, shown = self.watch("--completions", "20", "--parallelism", "2", "--", "sleep", "0.1")
        self.assertEqual(code, 0, shown)
        drawn = [piece.split("\033[K")[0] for piece in shown.split("\r") if "done" in piece and "\n" not in piece]
        self.assertGreater(len(drawn), 3, shown)
        self.assertTrue(all(len(line) < 60 for line in drawn), drawn)
        self.assertTrue(any("running" in line for line in drawn), drawn)
        self.assertIn("complete, 20/20 done", shown)

    def test_a_single_command_shows_nothing_but_its_output(self):
        code, shown = self.watch("--", "echo", "hello")
        self.assertEqual((code, shown), (0, "hello\r\n"))


@unittest.skipUnless(os.geteuid() == 0, "only root can run programs as another user")
class AsAnotherUser(RunCase):
    def test_an_ordinary_user_runs_work(self):
        os.chmod(self.folder, 0o777)
        os.chmod(self.work, 0o777)
        ended = self.run_muster("--completions", "4", "--logs", "--", "id", "-un", user="nobody", group="nogroup",
                                env={"PATH": os.environ["PATH"]})
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual({line.split(": ")[1] for line in ended.out.splitlines()}, {"nobody"})


if __name__ == "__main__":
    unittest.main()
