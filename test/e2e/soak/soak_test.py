"""A short soak: the one of scripts/soak works, and finds nothing."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from soak import run_slice  # noqa: E402

MUSTER = os.environ.get("MUSTER", "build/muster")


class AShortSoak(unittest.TestCase):
    def test_finds_nothing_lost_and_nothing_twice(self):
        done, complaint = run_slice(MUSTER, seed=1, server_kills=20, helper_kills=5)
        self.assertEqual(complaint, "")
        self.assertGreaterEqual(done["server_kills"], 20)
        self.assertGreater(done["helper_kills"], 0)
        for name in ("acknowledged", "events", "starts", "jobs"):
            self.assertGreater(done[name], 10, done)


if __name__ == "__main__":
    unittest.main()
