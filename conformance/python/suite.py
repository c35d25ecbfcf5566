"""Python's `kubernetes` against the binary: typed clients, the dynamic client, watches, informers, leader election.

One server for all tests; each test has a namespace of its own. MUSTER is the path of the binary.
"""

import json
import logging
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest
import uuid

import kubernetes
from kubernetes import client, dynamic, watch
from kubernetes.client.exceptions import ApiException

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "e2e" / "kubectl"))
from running_server import Server  # noqa: E402
from streams import Streams  # noqa: E402,F401

server = None


def setUpModule():
    global server
    folder = tempfile.TemporaryDirectory(prefix="muster-conformance-")
    unittest.addModuleCleanup(folder.cleanup)
    server = Server(os.environ["MUSTER"], pathlib.Path(folder.name), ["--controllers", "none", "--node", "none"])
    server.start()
    # Informers log what a crash of the server looks like to them.
    logging.disable(logging.CRITICAL)
    unittest.addModuleCleanup(lambda: server.stop(signal.SIGTERM))


def new_client():
    return kubernetes.config.new_client_from_config(str(server.folder / "data" / "kubeconfig"))


def job(name, **spec):
    return {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {**spec, "template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox", "command": ["true"]}]}}},
    }


def pod(name, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": "busybox"}], **spec}}


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


class ServerCase(unittest.TestCase):
    def setUp(self):
        self.api = new_client()
        self.addCleanup(self.api.close)
        self.core, self.batch = client.CoreV1Api(self.api), client.BatchV1Api(self.api)
        self.ns = "t-" + uuid.uuid4().hex[:8]
        self.core.create_namespace({"metadata": {"name": self.ns}})

    def assert_refused(self, code, call, *args, **kwargs):
        with self.assertRaises(ApiException) as refused:
            call(*args, **kwargs)
        self.assertEqual(refused.exception.status, code, refused.exception.body)
        return refused.exception


class TypedClients(ServerCase):
    def test_the_version_and_the_groups_are_told(self):
        self.assertEqual(client.VersionApi(self.api).get_code().major, "1")
        self.assertIn("batch", [g.name for g in client.ApisApi(self.api).get_api_versions().groups])
        self.assertIn("jobs", [r.name for r in self.batch.get_api_resources().resources])

    def test_a_job_is_created_read_changed_and_deleted(self):
        made = self.batch.create_namespaced_job(self.ns, client.V1Job(
            metadata=client.V1ObjectMeta(name="sum", labels={"team": "a"}),
            spec=client.V1JobSpec(parallelism=2, completions=4, template=client.V1PodTemplateSpec(
                spec=client.V1PodSpec(restart_policy="Never",
                                      containers=[client.V1Container(name="main", image="busybox")])))))
        self.assertEqual((made.metadata.generation, made.spec.backoff_limit), (1, 6))
        self.assertEqual(made.spec.selector.match_labels,
                         {"batch.kubernetes.io/controller-uid": made.metadata.uid})
        read = self.batch.read_namespaced_job("sum", self.ns)
        self.assertEqual(read.metadata.resource_version, made.metadata.resource_version)
        listed = self.batch.list_namespaced_job(self.ns, label_selector="team=a")
        self.assertEqual([j.metadata.name for j in listed.items], ["sum"])
        self.assertEqual(self.batch.list_namespaced_job(self.ns, label_selector="team!=a").items, [])
        everywhere = self.batch.list_job_for_all_namespaces(field_selector=f"metadata.namespace={self.ns}")
        self.assertEqual(len(everywhere.items), 1)

        read.spec.parallelism = 3
        replaced = self.batch.replace_namespaced_job("sum", self.ns, read)
        self.assertEqual((replaced.spec.parallelism, replaced.metadata.generation), (3, 2))
        self.assert_refused(409, self.batch.replace_namespaced_job, "sum", self.ns, read)

        self.batch.delete_namespaced_job("sum", self.ns, propagation_policy="Background")
        self.assert_refused(404, self.batch.read_namespaced_job, "sum", self.ns)

    def test_a_dictionary_is_a_strategic_patch_and_a_list_a_json_patch(self):
        self.batch.create_namespaced_job(self.ns, job("j", suspend=True))
        patched = self.batch.patch_namespaced_job("j", self.ns, {"spec": {"suspend": False, "parallelism": 5}})
        self.assertEqual((patched.spec.suspend, patched.spec.parallelism), (False, 5))
        patched = self.batch.patch_namespaced_job(
            "j", self.ns, [{"op": "replace", "path": "/spec/parallelism", "value": 7}])
        self.assertEqual(patched.spec.parallelism, 7)
        same = self.batch.patch_namespaced_job("j", self.ns, {"spec": {"parallelism": 7}})
        self.assertEqual(same.metadata.resource_version, patched.metadata.resource_version)
        merged = self.batch.patch_namespaced_job(
            "j", self.ns, {"metadata": {"labels": {"x": "y"}}}, _content_type="application/merge-patch+json")
        self.assertEqual(merged.metadata.labels["x"], "y")

    def test_the_status_is_written_on_its_own(self):
        self.batch.create_namespaced_job(self.ns, job("j"))
        self.batch.patch_namespaced_job_status("j", self.ns, {"status": {"active": 1}, "spec": {"parallelism": 9}})
        read = self.batch.read_namespaced_job_status("j", self.ns)
        self.assertEqual((read.status.active, read.spec.parallelism, read.metadata.generation), (1, 1, 1))
        read.status.active = 2
        self.assertEqual(self.batch.replace_namespaced_job_status("j", self.ns, read).status.active, 2)

    def test_what_is_wrong_is_refused_with_all_its_causes(self):
        refusal = self.assert_refused(
            422, self.batch.create_namespaced_job, self.ns, job("j", parallelism=-1, completions=-1))
        causes = json.loads(refusal.body)["details"]["causes"]
        self.assertEqual([c["field"] for c in causes], ["spec.parallelism", "spec.completions"])
        self.batch.create_namespaced_job(self.ns, job("j"))
        self.assert_refused(409, self.batch.create_namespaced_job, self.ns, job("j"))

    def test_a_dry_run_leaves_nothing_behind(self):
        made = self.batch.create_namespaced_job(self.ns, job("j"), dry_run="All")
        self.assertTrue(made.metadata.uid)
        self.assert_refused(404, self.batch.read_namespaced_job, "j", self.ns)

    def test_names_are_generated(self):
        body = config_map("x")
        body["metadata"] = {"generateName": "made-"}
        names = {self.core.create_namespaced_config_map(self.ns, body).metadata.name for _ in range(5)}
        self.assertEqual(len(names), 5)
        self.assertTrue(all(n.startswith("made-") and len(n) == 10 for n in names))

    def test_lists_come_in_pages(self):
        for i in range(7):
            self.core.create_namespaced_config_map(self.ns, config_map(f"m{i}"))
        seen, token = [], None
        while True:
            page = self.core.list_namespaced_config_map(self.ns, limit=3, _continue=token)
            seen += [m.metadata.name for m in page.items]
            token = page.metadata._continue
            if not token:
                break
        self.assertEqual(seen, [f"m{i}" for i in range(7)])
        self.assert_refused(400, self.core.list_namespaced_config_map, self.ns, limit=3, _continue="forged")

    def test_collections_are_deleted(self):
        for i in range(3):
            self.core.create_namespaced_config_map(self.ns, config_map(f"m{i}"))
        self.core.delete_collection_namespaced_config_map(self.ns, field_selector="metadata.name!=m1")
        self.assertEqual([m.metadata.name for m in self.core.list_namespaced_config_map(self.ns).items], ["m1"])

    def test_a_pod_is_bound_evicted_and_has_no_logs(self):
        self.core.create_namespaced_pod(self.ns, pod("p"))
        binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}
        self.core.create_namespaced_pod_binding("p", self.ns, binding, _preload_content=False)
        bound = self.core.read_namespaced_pod("p", self.ns)
        self.assertEqual(bound.spec.node_name, "n1")
        self.assertIn(("PodScheduled", "True"), [(c.type, c.status) for c in bound.status.conditions])
        self.assert_refused(409, self.core.create_namespaced_pod_binding, "p", self.ns, binding)
        on_node = self.core.list_pod_for_all_namespaces(field_selector="spec.nodeName=n1").items
        self.assertIn("p", [p.metadata.name for p in on_node])
        self.assert_refused(404, self.core.read_namespaced_pod_log, "none", self.ns)
        self.core.create_namespaced_pod_eviction("p", self.ns, {"metadata": {"name": "p"}})
        self.assertTrue(self.core.read_namespaced_pod("p", self.ns).metadata.deletion_timestamp)
        self.core.delete_namespaced_pod("p", self.ns, grace_period_seconds=0)
        self.assert_refused(404, self.core.read_namespaced_pod, "p", self.ns)

    def test_secrets_take_plain_text_and_answer_in_base64(self):
        made = self.core.create_namespaced_secret(self.ns, {"metadata": {"name": "s"}, "stringData": {"a": "b"}})
        self.assertEqual((made.data, made.type), ({"a": "Yg=="}, "Opaque"))

    def test_events_are_one_object_in_two_views(self):
        self.core.create_namespaced_event(self.ns, client.CoreV1Event(
            metadata=client.V1ObjectMeta(name="e"), reason="Ran", message="it ran", type="Normal", count=3,
            event_time="2026-01-01T00:00:00.000007Z", action="Run", reporting_component="me", reporting_instance="me-1",
            involved_object=client.V1ObjectReference(kind="Job", name="j", namespace=self.ns)))
        other = client.EventsV1Api(self.api).read_namespaced_event("e", self.ns)
        self.assertEqual((other.note, other.regarding.name, other.deprecated_count), ("it ran", "j", 3))
        found = self.core.list_namespaced_event(self.ns, field_selector="involvedObject.name=j,reason=Ran")
        self.assertEqual(len(found.items), 1)
        patched = self.core.patch_namespaced_event("e", self.ns, {"count": 4})
        self.assertEqual(patched.count, 4)

    def test_service_accounts_have_tokens_and_only_the_rights_given(self):
        self.core.create_namespaced_service_account(self.ns, {"metadata": {"name": "robot"}})
        token = self.core.create_namespaced_service_account_token(
            "robot", self.ns, {"spec": {"expirationSeconds": 3600}}).status.token
        configuration = client.Configuration()
        configuration.host, configuration.ssl_ca_cert = self.api.configuration.host, self.api.configuration.ssl_ca_cert
        configuration.api_key = {"authorization": "Bearer " + token}
        robot = client.ApiClient(configuration)
        self.addCleanup(robot.close)
        me = client.AuthenticationV1Api(robot).create_self_subject_review({})
        self.assertEqual(me.status.user_info.username, f"system:serviceaccount:{self.ns}:robot")
        self.assert_refused(403, client.BatchV1Api(robot).list_namespaced_job, self.ns)
        rights = client.RbacAuthorizationV1Api(self.api)
        rights.create_namespaced_role(self.ns, {"metadata": {"name": "r"}, "rules": [
            {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["list"]}]})
        rights.create_namespaced_role_binding(self.ns, {
            "metadata": {"name": "b"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": self.ns}]})
        self.assertEqual(client.BatchV1Api(robot).list_namespaced_job(self.ns).items, [])
        asked = {"spec": {"resourceAttributes": {
            "namespace": self.ns, "verb": "create", "group": "batch", "resource": "jobs"}}}
        answer = client.AuthorizationV1Api(robot).create_self_subject_access_review(asked)
        self.assertFalse(answer.status.allowed)


class Watches(ServerCase):
    def test_changes_arrive_in_order(self):
        start = self.core.list_namespaced_config_map(self.ns).metadata.resource_version
        self.core.create_namespaced_config_map(self.ns, config_map("a"))
        self.core.patch_namespaced_config_map("a", self.ns, {"data": {"x": "1"}})
        self.core.delete_namespaced_config_map("a", self.ns)
        seen = [(e["type"], e["object"].metadata.name) for e in watch.Watch().stream(
            self.core.list_namespaced_config_map, self.ns, resource_version=start, timeout_seconds=1)]
        self.assertEqual(seen, [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")])

    def test_a_watch_ends_at_its_timeout(self):
        started = time.monotonic()
        list(watch.Watch().stream(self.core.list_namespaced_config_map, self.ns, timeout_seconds=2))
        self.assertTrue(1.9 <= time.monotonic() - started < 4)

    def test_a_watch_resumes_where_it_was(self):
        w, names = watch.Watch(), []
        for i in range(4):
            self.batch.create_namespaced_job(self.ns, job(f"j{i}"))
        for event in w.stream(self.batch.list_namespaced_job, self.ns, timeout_seconds=5):
            names.append(event["object"].metadata.name)
            if len(names) == 2:
                w.stop()
        for event in w.stream(self.batch.list_namespaced_job, self.ns, resource_version=w.resource_version,
                              timeout_seconds=1):
            names.append(event["object"].metadata.name)
        self.assertEqual(names, ["j0", "j1", "j2", "j3"])

    def test_what_leaves_a_selector_is_deleted_for_who_watches_it(self):
        self.core.create_namespaced_pod(self.ns, pod("p"))
        seen, w = [], watch.Watch()

        def change():
            self.core.patch_namespaced_pod("p", self.ns, {"metadata": {"labels": {"app": "other"}}})

        for event in w.stream(self.core.list_namespaced_pod, self.ns, label_selector="app=p", timeout_seconds=10):
            seen.append(event["type"])
            if seen == ["ADDED"]:
                threading.Thread(target=change).start()
            else:
                w.stop()
        self.assertEqual(seen, ["ADDED", "DELETED"])

    def test_bookmarks_come_to_those_who_ask(self):
        events = list(watch.Watch().stream(
            self.core.list_namespaced_pod, self.ns, allow_watch_bookmarks=True, timeout_seconds=4))
        self.assertIn("BOOKMARK", [e["type"] for e in events])

    def test_initial_events_end_with_a_bookmark(self):
        self.core.create_namespaced_pod(self.ns, pod("p"))
        seen = []
        w = watch.Watch()
        for event in w.stream(self.core.list_namespaced_pod, self.ns, allow_watch_bookmarks=True, timeout_seconds=10,
                              send_initial_events=True, resource_version_match="NotOlderThan"):
            seen.append(event["type"])
            if event["type"] == "BOOKMARK":
                annotations = event["raw_object"]["metadata"]["annotations"]
                self.assertEqual(annotations["k8s.io/initial-events-end"], "true")
                w.stop()
        self.assertEqual(seen, ["ADDED", "BOOKMARK"])

    def test_after_a_crash_old_revisions_are_gone_and_a_new_list_goes_on(self):
        first = self.core.create_namespaced_config_map(self.ns, config_map("first"))
        page = self.core.list_namespace(limit=1)
        self.core.create_namespaced_config_map(self.ns, config_map("second"))
        server.stop(signal.SIGKILL)
        server.start()
        with self.assertRaises(ApiException) as expired:
            list(watch.Watch().stream(self.core.list_namespaced_config_map, self.ns, timeout_seconds=2,
                                      resource_version=first.metadata.resource_version))
        self.assertEqual(expired.exception.status, 410)
        self.assert_refused(410, self.core.list_namespace, limit=1, _continue=page.metadata._continue)

        again = self.core.list_namespaced_config_map(self.ns)
        self.assertEqual([m.metadata.name for m in again.items], ["first", "second"])
        self.core.create_namespaced_config_map(self.ns, config_map("third"))
        seen = [e["object"].metadata.name for e in watch.Watch().stream(
            self.core.list_namespaced_config_map, self.ns, timeout_seconds=1,
            resource_version=again.metadata.resource_version)]
        self.assertEqual(seen, ["third"])

    def test_an_informer_follows_over_a_crash(self):
        if not hasattr(kubernetes, "informer"):
            self.skipTest("this kubernetes has no informers")
        from kubernetes.informer import SharedInformer
        informer = SharedInformer(self.core.list_namespaced_config_map, namespace=self.ns)
        informer.start()
        self.addCleanup(informer.stop)

        def until(names):
            deadline = time.monotonic() + 20
            while sorted(m.metadata.name for m in informer.cache.list()) != names:
                self.assertLess(time.monotonic(), deadline, f"the informer never knew {names}")
                time.sleep(0.05)

        self.core.create_namespaced_config_map(self.ns, config_map("a"))
        self.core.create_namespaced_config_map(self.ns, config_map("b"))
        until(["a", "b"])
        self.core.delete_namespaced_config_map("a", self.ns)
        until(["b"])
        server.stop(signal.SIGKILL)
        server.start()
        self.core.create_namespaced_config_map(self.ns, config_map("c"))
        until(["b", "c"])


class DynamicClient(ServerCase):
    def setUp(self):
        super().setUp()
        self.dynamic = dynamic.DynamicClient(self.api)

    def test_every_resource_is_discovered(self):
        kinds = {(r.group_version, r.kind) for r in self.dynamic.resources.search() if hasattr(r, "group_version")}
        for kind in (("batch/v1", "Job"), ("v1", "Pod"), ("coordination.k8s.io/v1", "Lease")):
            self.assertIn(kind, kinds)

    def test_a_job_is_created_patched_watched_and_deleted(self):
        jobs = self.dynamic.resources.get(api_version="batch/v1", kind="Job")
        made = jobs.create(body=job("j"), namespace=self.ns)
        self.assertEqual(made.spec.completions, 1)
        self.assertEqual(len(jobs.get(namespace=self.ns).items), 1)
        patched = jobs.patch(body={"spec": {"suspend": True}}, name="j", namespace=self.ns,
                             content_type="application/merge-patch+json")
        self.assertTrue(patched.spec.suspend)
        jobs.status.patch(body={"status": {"active": 1}}, name="j", namespace=self.ns,
                          content_type="application/merge-patch+json")
        self.assertEqual(jobs.get(name="j", namespace=self.ns).status.active, 1)
        jobs.delete(name="j", namespace=self.ns, body={"propagationPolicy": "Background"})
        with self.assertRaises(dynamic.exceptions.NotFoundError):
            jobs.get(name="j", namespace=self.ns)
        seen = [e["type"] for e in jobs.watch(namespace=self.ns, timeout=1,
                                              resource_version=made.metadata.resourceVersion)]
        self.assertEqual(seen, ["MODIFIED", "MODIFIED", "DELETED"])

    def test_a_typo_is_named_with_its_path(self):
        jobs = self.dynamic.resources.get(api_version="batch/v1", kind="Job")
        with self.assertRaises(dynamic.exceptions.BadRequestError) as refused:
            jobs.create(body=job("j", paralelism=1), namespace=self.ns, query_params=[("fieldValidation", "Strict")])
        self.assertIn('unknown field \\"spec.paralelism\\"', str(refused.exception.body))
        jobs.create(body=job("j", paralelism=1), namespace=self.ns)

    def test_a_job_deleted_without_a_policy_leaves_its_pods(self):
        jobs = self.dynamic.resources.get(api_version="batch/v1", kind="Job")
        jobs.create(body=job("j"), namespace=self.ns)
        jobs.delete(name="j", namespace=self.ns)
        self.assertEqual(jobs.get(name="j", namespace=self.ns).metadata.finalizers, ["orphan"])

    def test_errors_have_their_own_types(self):
        maps = self.dynamic.resources.get(api_version="v1", kind="ConfigMap")
        made = maps.create(body=config_map("m"), namespace=self.ns)
        with self.assertRaises(dynamic.exceptions.ConflictError):
            maps.create(body=config_map("m"), namespace=self.ns)
        stale = {**config_map("m", a="b"), "metadata": {"name": "m", "resourceVersion": made.metadata.resourceVersion}}
        maps.replace(body=stale, namespace=self.ns)
        with self.assertRaises(dynamic.exceptions.ConflictError):
            maps.replace(body=stale, namespace=self.ns)
        with self.assertRaises(dynamic.exceptions.UnprocessibleEntityError):
            maps.create(body=config_map("Not_A_Name"), namespace=self.ns)
        with self.assertRaises(dynamic.exceptions.ResourceNotFoundError):
            self.dynamic.resources.get(api_version="v1", kind="Unicorn")

    def test_server_side_apply_is_refused_in_words(self):
        maps = self.dynamic.resources.get(api_version="v1", kind="ConfigMap")
        with self.assertRaises(dynamic.exceptions.DynamicApiError) as refused:
            maps.server_side_apply(body=config_map("m"), namespace=self.ns, field_manager="me")
        self.assertEqual(refused.exception.status, 415)
        self.assertIn("server-side apply", str(refused.exception.body))


class UnservedKinds(ServerCase):
    """Kinds that this server has none of, and that tools insist on listing."""

    def lists(self):
        apps, net = client.AppsV1Api(self.api), client.NetworkingV1Api(self.api)
        hooks = client.AdmissionregistrationV1Api(self.api)
        return {
            "deployments": apps.list_deployment_for_all_namespaces,
            "stateful sets": apps.list_stateful_set_for_all_namespaces,
            "replica sets": apps.list_replica_set_for_all_namespaces,
            "daemon sets": apps.list_daemon_set_for_all_namespaces,
            "controller revisions": apps.list_controller_revision_for_all_namespaces,
            "endpoints": self.core.list_endpoints_for_all_namespaces,
            "replication controllers": self.core.list_replication_controller_for_all_namespaces,
            "ingresses": net.list_ingress_for_all_namespaces,
            "ingress classes": net.list_ingress_class,
            "network policies": net.list_network_policy_for_all_namespaces,
            "autoscalers": client.AutoscalingV2Api(self.api).list_horizontal_pod_autoscaler_for_all_namespaces,
            "autoscalers v1": client.AutoscalingV1Api(self.api).list_horizontal_pod_autoscaler_for_all_namespaces,
            "mutating webhooks": hooks.list_mutating_webhook_configuration,
            "validating webhooks": hooks.list_validating_webhook_configuration,
            "certificate requests": client.CertificatesV1Api(self.api).list_certificate_signing_request,
            "definitions": client.ApiextensionsV1Api(self.api).list_custom_resource_definition,
        }

    def test_every_list_is_empty(self):
        for name, function in self.lists().items():
            with self.subTest(name):
                listed = function()
                self.assertEqual(listed.items, [])
                self.assertTrue(listed.metadata.resource_version)

    def test_a_watch_stays_open_and_tells_nothing(self):
        function = self.lists()["deployments"]
        began = time.monotonic()
        seen = list(watch.Watch().stream(
            function, resource_version=function().metadata.resource_version, timeout_seconds=1))
        self.assertEqual(seen, [])
        self.assertGreater(time.monotonic() - began, 0.9)

    def test_creating_one_is_refused_with_a_reason(self):
        refusal = self.assert_refused(
            405, client.AppsV1Api(self.api).create_namespaced_deployment, self.ns,
            {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "web"}]}}}})
        self.assertIn("deployments.apps", json.loads(refusal.body)["message"])
        self.assert_refused(404, client.AppsV1Api(self.api).read_namespaced_deployment, "web", self.ns)

    def test_openapi_v2_is_json_and_names_what_is_served(self):
        answer = json.loads(self.api.rest_client.pool_manager.request(
            "GET", self.api.configuration.host + "/openapi/v2", headers={"Accept": "application/json"}).data)
        self.assertEqual(answer["swagger"], "2.0")
        self.assertIn("io.k8s.api.batch.v1.Job", answer["definitions"])
        self.assertIn("/apis/apps/v1/deployments", answer["paths"])


class LeaderElection(ServerCase):
    def test_one_of_two_candidates_leads_and_the_lease_says_who(self):
        leases = client.CoordinationV1Api(self.api)
        # The client sends whole seconds without a fraction, which is no MicroTime.
        now = "2026-01-01T00:00:00.000007Z"

        def lease(holder):
            return {"metadata": {"name": "lock"}, "spec": {
                "holderIdentity": holder, "leaseDurationSeconds": 15, "acquireTime": now, "renewTime": now}}

        made = leases.create_namespaced_lease(self.ns, lease("one"))
        self.assert_refused(409, leases.create_namespaced_lease, self.ns, lease("two"))
        taken = lease("two")
        taken["metadata"]["resourceVersion"] = made.metadata.resource_version
        leases.replace_namespaced_lease("lock", self.ns, taken)
        taken["spec"]["holderIdentity"] = "three"
        self.assert_refused(409, leases.replace_namespaced_lease, "lock", self.ns, taken)
        held = leases.read_namespaced_lease("lock", self.ns)
        self.assertEqual((held.spec.holder_identity, held.spec.renew_time.microsecond), ("two", 7))


if __name__ == "__main__":
    unittest.main(verbosity=2)
