"""The model of a soak finds what it is there to find."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from model import Broken, Model, Starts  # noqa: E402


def told(model, name, value, revision):
    before = model.begin(name, value)
    model.acknowledge(name, value, revision, before)


class AModel(unittest.TestCase):
    def setUp(self):
        self.model = Model()
        told(self.model, "a", "1", 10)

    def broken(self, listed, revision, said):
        with self.assertRaisesRegex(Broken, said):
            self.model.check(listed, revision)

    def test_what_was_acknowledged_is_there(self):
        self.model.check({"a": ("1", 10)}, 10)
        self.broken({}, 10, "a is None")
        self.broken({"a": ("0", 10)}, 10, "a is 0")

    def test_what_was_not_answered_may_have_happened_or_not_and_is_certain_after_the_check(self):
        for value, revision in (("1", 10), ("2", 11)):
            self.setUp()
            self.model.begin("a", "2")
            self.model.check({"a": (value, revision)}, 11)
            self.broken({"a": ({"1": "2", "2": "1"}[value], revision)}, 11, "told was")

    def test_what_was_deleted_does_not_come_back(self):
        told(self.model, "a", None, None)
        self.broken({"a": ("1", 10)}, 12, "a is 1")
        self.model.check({}, 12)
        self.broken({"a": ("1", 10)}, 12, "never written")

    def test_revisions_do_not_go_back(self):
        self.broken({"a": ("1", 10)}, 9, "the list is of revision 9")
        self.broken({"a": ("1", 9)}, 10, "a is of revision 9")
        with self.assertRaisesRegex(Broken, "after 10 was told"):
            told(self.model, "b", "1", 10)

    def test_what_a_watch_told_is_certain(self):
        self.model.begin("a", "2")
        self.model.observe("a", "2", 11)
        self.broken({"a": ("1", 10)}, 11, "a is 1")
        with self.assertRaisesRegex(Broken, "a watch tells"):
            self.model.observe("a", "3", 12)

    def test_what_a_watch_tells_late_says_nothing_of_now(self):
        told(self.model, "a", "2", 11)
        self.model.observe("a", "1", 10)
        told(self.model, "a", None, None)
        self.model.begin("a", "3")
        self.model.observe("a", None, 12)  # the deletion that was answered, not one of the new
        self.model.check({"a": ("3", 13)}, 13)


class AStart(unittest.TestCase):
    def test_of_the_same_attempt_happens_once_and_of_each_index_as_often_as_its_kind_says(self):
        starts = Starts()
        starts.add("u/c/0 job 0")
        starts.check_job("job", ["0"], 1)
        with self.assertRaisesRegex(Broken, "started twice"):
            starts.add("u/c/0 job 0")
        with self.assertRaisesRegex(Broken, "index 1 was started 0 times"):
            starts.check_job("job", ["0", "1"], 1)
        starts.add("v/c/0 job 0")  # another pod for the same index
        with self.assertRaisesRegex(Broken, "index 0 was started 2 times"):
            starts.check_job("job", ["0"], 1)


if __name__ == "__main__":
    unittest.main()
