#!/usr/bin/env python3
"""conformance/cluster/stories.py MUSTER: the kubectl stories of Jobs (test/e2e/kubectl) with Kubernetes' own API server in
place of ours, and `muster controllers` in place of the controllers of Jobs of kube-controller-manager. Their steps and
what kubectl prints are the same; where our server dies in them, our controllers die here.

Exits with 0 when all held, 1 when not, 77 when something that it needs is not on this machine.
"""

import pathlib
import subprocess
import sys
import tempfile

from cluster import ROOT, Cluster

sys.dont_write_bytecode = True
STORIES = ["controllers-jobs"]
FLAGS = ["--without=kube-scheduler", "--without=kwok",  # what a node would say, the stories say
         "--kube-controller-manager=--controllers=*,-job-controller,-cronjob-controller,-ttl-after-finished-controller"]


def main():
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(pathlib.Path(directory) / "peers", nodes=0, history=False, flags=FLAGS)
        try:
            done = subprocess.run([ROOT / "test/e2e/kubectl/run", "--muster", sys.argv[1], "--beside", cluster.kubeconfig,
                                   *STORIES], check=False)
        finally:
            cluster.close()
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
