"""Manifests as users have them run unchanged (manifests/README.md)."""

import re
import sys
import unittest

sys.dont_write_bytecode = True
from run_case import ROOT, RunCase, has_namespaces  # noqa: E402

MANIFESTS = ROOT / "test/e2e/run/manifests"


class Tutorials(RunCase):
    def check(self, path):
        text = path.read_text()
        if "volumes:" in text and not has_namespaces():
            self.skipTest("this machine gives no mount namespaces")
        code = re.search(r"^# exit: (\d+)$", text, re.M)
        output = re.search(r"^# output: (.+)$", text, re.M)
        ended = self.run_muster("--logs", path)
        self.assertEqual(ended.code, int(code[1]) if code else 0, ended.err)
        if output:
            self.assertRegex(ended.out, re.compile(output[1], re.M))

    def test_a_list_in_json(self):
        ended = self.run_muster(MANIFESTS / "list.json")
        self.assertEqual((ended.code, ended.out), (0, "from a list in JSON\n"), ended.err)


def add_tests():
    for path in sorted(MANIFESTS.glob("*.yaml")):
        setattr(Tutorials, "test_" + path.stem.replace("-", "_"), lambda self, path=path: self.check(path))


add_tests()

if __name__ == "__main__":
    unittest.main()
