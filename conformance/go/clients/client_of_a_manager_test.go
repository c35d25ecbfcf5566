package clients

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"muster/conformance/running"
)

// managed is controller-runtime's client in a case's namespace.
type managed struct {
	*world
	client.WithWatch
}

func (m *managed) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: m.ns, Name: name}
}

func (m *managed) job(name string) *batchv1.Job {
	job := running.Job(name, 1)
	job.Namespace = m.ns
	m.must(m.WithWatch.Create(m.ctx, job))
	return job
}

func TestTheClientOfControllerRuntime(t *testing.T) {
	server := running.Start(t)
	for _, c := range managedCases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, server.Config(t))
			own, err := client.NewWithWatch(w.config, client.Options{})
			w.must(err)
			c.run(&managed{w, own})
		})
	}
}

var managedCases = []struct {
	name string
	run  func(*managed)
}{
	{"an object without a type of Go's is the same object", func(m *managed) {
		made := m.job("j")
		read := &unstructured.Unstructured{}
		read.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
		m.must(m.Get(m.ctx, m.key("j"), read))
		m.same("uid", read.GetUID(), made.UID)
		m.must(unstructured.SetNestedField(read.Object, int64(5), "spec", "parallelism"))
		m.must(m.Update(m.ctx, read))
		m.must(m.Get(m.ctx, m.key("j"), made))
		m.same("parallelism", *made.Spec.Parallelism, int32(5))
	}},
	{"only the metadata is read and patched", func(m *managed) {
		m.job("j")
		only := &metav1.PartialObjectMetadata{}
		only.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
		m.must(m.Get(m.ctx, m.key("j"), only))
		before := only.DeepCopy()
		only.Labels = map[string]string{"team": "a"}
		m.must(m.Patch(m.ctx, only, client.MergeFrom(before)))
		found := &metav1.PartialObjectMetadataList{}
		found.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("JobList"))
		m.must(m.List(m.ctx, found, client.InNamespace(m.ns), client.MatchingLabels{"team": "a"}))
		m.same("found", names(found.Items), []string{"j"})
	}},
	{"a patch under an optimistic lock is refused when it comes late", func(m *managed) {
		job := m.job("j")
		late := job.DeepCopy()
		job.Labels = map[string]string{"a": "1"}
		m.must(m.Update(m.ctx, job))
		before := late.DeepCopy()
		late.Labels = map[string]string{"b": "1"}
		err := m.Patch(m.ctx, late, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
		m.refused(err, apierrors.IsConflict)
		m.must(m.Patch(m.ctx, late, client.StrategicMergeFrom(before)))
		m.same("labels", late.Labels, map[string]string{"a": "1", "b": "1"})
	}},
	{"the status has a writer of its own", func(m *managed) {
		job := m.job("j")
		before := job.DeepCopy()
		job.Status.Active, *job.Spec.Parallelism = 3, 9
		m.must(m.Status().Patch(m.ctx, job, client.MergeFrom(before)))
		m.same("active and parallelism", []int32{job.Status.Active, *job.Spec.Parallelism}, []int32{3, 1})
	}},
	{"a pod is bound, and a collection deleted by its labels", func(m *managed) {
		pod := running.Pod("p")
		pod.Namespace = m.ns
		m.must(m.WithWatch.Create(m.ctx, pod))
		binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
		m.must(m.SubResource("binding").Create(m.ctx, pod, binding))
		m.must(m.Get(m.ctx, m.key("p"), pod))
		m.same("node", pod.Spec.NodeName, "n")
		m.must(m.DeleteAllOf(m.ctx, &corev1.Pod{}, client.InNamespace(m.ns), client.MatchingLabels{"app": "other"}))
		m.must(m.Get(m.ctx, m.key("p"), pod))
		m.must(m.DeleteAllOf(m.ctx, &corev1.Pod{}, client.InNamespace(m.ns), client.GracePeriodSeconds(0)))
		m.same("gone", apierrors.IsNotFound(m.Get(m.ctx, m.key("p"), pod)), true)
	}},
	{"a list is watched", func(m *managed) {
		watched, err := m.Watch(m.ctx, &batchv1.JobList{}, client.InNamespace(m.ns))
		m.must(err)
		defer watched.Stop()
		job := m.job("j")
		m.must(m.Delete(m.ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
		types := []string{}
		for event := range watched.ResultChan() {
			types = append(types, string(event.Type))
			if event.Type == "DELETED" {
				break
			}
		}
		m.same("events", types, []string{"ADDED", "DELETED"})
	}},
	{"preconditions hold a deletion back", func(m *managed) {
		job := m.job("j")
		other := types.UID("another")
		m.refused(m.Delete(m.ctx, job, client.Preconditions{UID: &other}), apierrors.IsConflict)
		m.must(m.Delete(m.ctx, job, client.Preconditions{UID: &job.UID},
			client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}},
	{"kinds are mapped to resources by discovery", func(m *managed) {
		mapping, err := m.RESTMapper().RESTMapping(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "v1")
		m.must(err)
		m.same("resource", mapping.Resource.Resource, "jobs")
		namespaced, err := m.IsObjectNamespaced(&corev1.Node{})
		m.must(err)
		m.same("nodes have namespaces", namespaced, false)
		many, err := m.RESTMapper().ResourcesFor(corev1.SchemeGroupVersion.WithResource("pod"))
		m.must(err)
		m.same("pod is pods", slices.Contains(many, corev1.SchemeGroupVersion.WithResource("pods")), true)
	}},
	{"server-side apply is refused in words", func(m *managed) {
		sent := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "m", "namespace": m.ns}}}
		err := m.Apply(m.ctx, client.ApplyConfigurationFromUnstructured(sent), client.FieldOwner("me"))
		m.refused(err, apierrors.IsUnsupportedMediaType)
	}},
}
