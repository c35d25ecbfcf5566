"""Bad input: a clear sentence, exit code 2, and nothing stored."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
from run_case import RunCase  # noqa: E402

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: fine}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: busybox, command: [echo, fine]}]
"""


class BadInput(RunCase):
    def refuse(self, sentence, *arguments, **more):
        ended = self.run_muster(*arguments, **more)
        self.assertEqual(ended.code, 2, ended.err)
        self.assertIn(sentence, ended.err)
        self.assertEqual(ended.out, "")
        return ended

    def test_sentences_and_nothing_stored(self):
        self.write("fine.yaml", JOB)
        self.write("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
        self.write("broken.yaml", "a: [b\n")
        self.write("wrong.yaml", JOB.replace("Never", "Always").replace("name: c,", "name: C_,"))
        self.write("typo.yaml", JOB.replace("template:", "tmplate:"))
        self.refuse("say what to run")
        self.refuse("there is no command behind --", "--")
        self.refuse('there is no file "absent.yaml"', "absent.yaml")
        self.refuse("there is no Job in map.yaml", "map.yaml")
        self.refuse("error parsing broken.yaml", "broken.yaml")
        self.refuse('unknown field "spec.tmplate"', "typo.yaml")
        self.refuse("--no-such-flag", "--no-such-flag", "--", "true")
        self.refuse("not both", "fine.yaml", "--", "true")
        self.refuse("flags for that go with a command", "--completions", "3", "fine.yaml")
        self.refuse("--completions must be at least 1", "--completions", "0", "--", "true")
        ended = self.refuse('The Job "fine" is invalid:', "wrong.yaml")
        self.assertIn("* spec.template.spec.restartPolicy: Required value", ended.err)
        self.assertIn("* spec.template.spec.containers[0].name: Invalid value", ended.err)
        self.assertFalse(self.data.exists(), "a run that is refused leaves no data directory")

    def test_what_only_the_server_can_know(self):
        self.refuse('namespaces "nowhere" not found', "-n", "nowhere", "--", "true")

    def test_a_data_directory_that_cannot_be_used(self):
        self.assertEqual(self.run_muster("--", "true").code, 0)
        (self.data / "format").write_text("muster store format 99\n")
        self.refuse("names store format 99", "--", "true")

    @unittest.skipUnless(os.geteuid() == 0, "only root can run programs as another user")
    def test_a_data_directory_that_cannot_be_written(self):
        os.chmod(self.folder, 0o755)
        os.chmod(self.work, 0o755)
        self.refuse("ermission denied", "--", "true", user="nobody", group="nogroup", env={"PATH": os.environ["PATH"]})


class Manifests(RunCase):
    def test_standard_input_and_several_jobs(self):
        import subprocess
        two = JOB + "---" + JOB.replace("fine", "other")
        process = self.begin("--logs", "-", stdin=subprocess.PIPE)
        ended = self.finish(process, stdin=two)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(sorted(ended.out.splitlines()), ["fine: fine", "other: other"])

    def test_one_failure_of_several_is_a_failure(self):
        self.write("two.yaml", JOB + "---" + JOB.replace("[echo, fine]", "[sh, -c, exit 4]").replace(
            "{name: fine}", "{name: bad}").replace("spec:\n  template", "spec:\n  backoffLimit: 0\n  template"))
        ended = self.run_muster("two.yaml")
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("fine: complete", ended.err)
        self.assertIn("bad: failed", ended.err)

    def test_what_a_job_needs_is_applied_first(self):
        self.write("with.yaml", JOB.replace("command: [echo, fine]",
                                            "command: [sh, -c, 'echo $greeting'], envFrom: [{configMapRef: {name: words}}]")
                   + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata: {greeting: good day}\n")
        ended = self.run_muster("with.yaml")
        self.assertEqual((ended.code, ended.out), (0, "good day\n"), ended.err)
        self.assertIn("configmap/words created", ended.err)

    def test_a_generated_name_is_new_every_time(self):
        self.write("generated.yaml", JOB.replace("{name: fine}", "{generateName: fine-}"))
        for _ in range(2):
            self.assertEqual(self.run_muster("generated.yaml").code, 0)


if __name__ == "__main__":
    unittest.main()
