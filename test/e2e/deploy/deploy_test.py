"""deploy/ is what the binary prints, and kustomize makes of it what the binary prints. MUSTER names the binary."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
MUSTER = os.environ["MUSTER"]
KUSTOMIZE = ROOT / "deploy/kustomize"

# Components of kustomize, and the parts and flags that mean the same.
INSTALLATIONS = [
    ([], ["--controllers=job,pod-ttl"]),
    (["job-all"], ["--controllers=job,pod-ttl", "--job-mode=all"]),
    (["queue"], ["namespace", "rbac", "flow", "network", "deployment", "--admission=none"]),
    (["queue", "crds", "webhook"], []),
    (["queue", "crds", "webhook", "job-all"], ["--job-mode=all"]),
    (["queue", "crds", "webhook", "cert-manager"], ["--webhook-certificates=cert-manager"]),
    (["queue", "crds", "webhook", "v1beta1"], ["--queue-versions=v1beta1,v1beta2"]),
    (["queue", "crds", "policies", "monitoring"], ["--admission=policies", "--monitoring"]),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def documents(text):
    return sorted(text.split("---\n"))


@unittest.skipUnless(shutil.which("kubectl"), "there is no kubectl, whose kustomize is used here")
class Kustomize(unittest.TestCase):
    def built(self, folder):
        return documents(run("kubectl", "kustomize", "--load-restrictor=LoadRestrictionsNone", str(folder)))

    # Both texts go through kustomize, which prints objects in its own way.
    def printed(self, flags):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "all.yaml").write_text(run(MUSTER, "manifests", *flags))
            (folder / "kustomization.yaml").write_text("resources:\n- all.yaml\n")
            return self.built(folder)

    def test_components_add_up_to_what_the_flags_mean(self):
        for components, flags in INSTALLATIONS:
            with self.subTest(components=components), tempfile.TemporaryDirectory(dir=KUSTOMIZE) as name:
                lines = ["resources:\n- ../base\n", "components:\n" if components else ""]
                lines += [f"- ../components/{one}\n" for one in components]
                (pathlib.Path(name) / "kustomization.yaml").write_text("".join(lines))
                self.assertEqual(self.built(name), self.printed(flags))

    def test_the_ready_made_ones(self):
        self.assertEqual(self.built(KUSTOMIZE / "default"), self.printed([]))
        self.assertEqual(self.built(KUSTOMIZE / "policies"), self.printed(["--admission=policies"]))


class Deploy(unittest.TestCase):
    def test_the_tree_is_what_the_binary_prints(self):
        run(ROOT / "scripts/deploy", "--check", "--muster", MUSTER)

    def test_every_metric_that_is_watched_is_documented(self):
        documented = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs/metrics.md").read_text()))
        # Of the process, as every client library of Prometheus has them.
        documented |= {"process_resident_memory_bytes", "process_cpu_seconds_total"}
        shown = run(MUSTER, "manifests", "monitoring", "--output=json")
        named = set(re.findall(r"\b((?:controller_runtime|job|kueue|leader|muster|process|rest_client|workqueue)_[a-z_]+)(?=[{\[) ])", shown))
        self.assertGreater(len(named), 10)
        self.assertEqual({name.removesuffix("_bucket") for name in named} - documented, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
