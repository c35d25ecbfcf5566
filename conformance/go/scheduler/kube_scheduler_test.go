// Package scheduler is Kubernetes' own kube-scheduler against the binary: it places pods on nodes that are only there
// as objects. KUBE_SCHEDULER is its path.
package scheduler

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"muster/conformance/running"
)

const patience = 30 * time.Second

// cluster is a server with two nodes, and a scheduler that works for it.
type cluster struct {
	*testing.T
	ctx     context.Context
	server  *running.Server
	clients *kubernetes.Clientset
	ns      string
	log     string // the path of what the scheduler writes
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	server := running.Start(t)
	clients, err := kubernetes.NewForConfig(server.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	c := &cluster{t, ctx, server, clients, running.Namespace(t, clients), filepath.Join(t.TempDir(), "kube-scheduler.log")}
	c.startScheduler()
	return c
}

// startScheduler starts kube-scheduler with nothing but a kubeconfig: everything else is its default.
func (c *cluster) startScheduler() {
	c.Helper()
	program := os.Getenv("KUBE_SCHEDULER")
	if program == "" {
		c.Fatal("KUBE_SCHEDULER is not set: it is the path of the scheduler (see conformance/go/scheduler/run)")
	}
	log, err := os.Create(c.log)
	c.must(err)
	process := exec.Command(program, "--kubeconfig", c.server.Kubeconfig(), "--secure-port", "0", "-v", "3")
	process.Stdout, process.Stderr = log, log
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.must(process.Start())
	c.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		_ = process.Wait()
		_ = log.Close()
		if text, _ := os.ReadFile(c.log); c.Failed() {
			c.Logf("kube-scheduler wrote:\n%s", text[max(0, len(text)-20000):])
		}
	})
}

func (c *cluster) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// addNode makes a node and does what its kubelet and the node controller would: says what it has and lets pods in.
func (c *cluster) addNode(name, disk, cpu string) {
	c.Helper()
	nodes := c.clients.CoreV1().Nodes()
	node, err := nodes.Create(c.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, "disk": disk}}}, metav1.CreateOptions{})
	c.must(err)
	node.Status.Capacity = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"),
		corev1.ResourcePods: resource.MustParse("110")}
	node.Status.Allocatable = node.Status.Capacity
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue,
		Reason: "KubeletReady", LastHeartbeatTime: now, LastTransitionTime: now}}
	node, err = nodes.UpdateStatus(c.ctx, node, metav1.UpdateOptions{})
	c.must(err)
	node.Spec.Taints = nil
	_, err = nodes.Update(c.ctx, node, metav1.UpdateOptions{})
	c.must(err)
}

func (c *cluster) create(pod *corev1.Pod) {
	c.Helper()
	running.Insist(c.T, func() error {
		_, err := c.clients.CoreV1().Pods(c.ns).Create(c.ctx, pod, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

func (c *cluster) get(name string) *corev1.Pod {
	c.Helper()
	pod, err := c.clients.CoreV1().Pods(c.ns).Get(c.ctx, name, metav1.GetOptions{})
	c.must(err)
	return pod
}

// remove deletes a pod at once, as its kubelet would after it ended.
func (c *cluster) remove(name string) {
	c.Helper()
	err := c.clients.CoreV1().Pods(c.ns).Delete(c.ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	if !apierrors.IsNotFound(err) {
		c.must(err)
	}
}

func scheduled(pod *corev1.Pod) corev1.PodCondition {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return condition
		}
	}
	return corev1.PodCondition{}
}

// placed waits until the pod has a node, says so, and there is an event about it. The node is the answer.
func (c *cluster) placed(name string) string {
	c.Helper()
	var node string
	running.Eventually(c.T, patience, func() string {
		pod := c.get(name)
		node = pod.Spec.NodeName
		if node == "" || scheduled(pod).Status != corev1.ConditionTrue {
			return fmt.Sprintf("%s is on %q with %+v", name, node, pod.Status.Conditions)
		}
		return ""
	})
	c.told(name, "Scheduled", fmt.Sprintf("Successfully assigned %s/%s to %s", c.ns, name, node))
	return node
}

func (c *cluster) placedOn(name, want string) {
	c.Helper()
	if node := c.placed(name); node != want {
		c.Fatalf("%s is on %s, not on %s", name, node, want)
	}
}

// refused waits until the pod says that no node is for it, and why, and there is an event about it.
func (c *cluster) refused(name, why string) {
	c.Helper()
	running.Eventually(c.T, patience, func() string {
		condition := scheduled(c.get(name))
		if condition.Status != corev1.ConditionFalse || condition.Reason != corev1.PodReasonUnschedulable ||
			!strings.HasPrefix(condition.Message, why) {
			return fmt.Sprintf("%s says %+v", name, condition)
		}
		return ""
	})
	c.told(name, "FailedScheduling", why)
}

// told waits for an event about the pod; both views of events must have it.
func (c *cluster) told(name, reason, message string) {
	c.Helper()
	running.Eventually(c.T, patience, func() string {
		found, err := c.clients.EventsV1().Events(c.ns).List(c.ctx,
			metav1.ListOptions{FieldSelector: "regarding.kind=Pod,regarding.name=" + name})
		c.must(err)
		older, err := c.clients.CoreV1().Events(c.ns).List(c.ctx,
			metav1.ListOptions{FieldSelector: "involvedObject.name=" + name + ",reason=" + reason})
		c.must(err)
		said := []string{}
		for _, event := range found.Items {
			said = append(said, event.Reason+": "+event.Note)
			if event.Reason == reason && strings.HasPrefix(event.Note, message) && len(older.Items) > 0 {
				return ""
			}
		}
		return fmt.Sprintf("no event about %s says %s %q, only %q", name, reason, message, said)
	})
}

// wanting is a pod that asks for so much processor time.
func wanting(name, cpu string) *corev1.Pod {
	pod := running.Pod(name)
	pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return pod
}

func TestKubeScheduler(t *testing.T) {
	c := newCluster(t)
	c.create(wanting("early", "100m"))
	c.told("early", "FailedScheduling", "no nodes available to schedule pods")
	c.addNode("fast", "ssd", "4")
	c.addNode("slow", "hdd", "2")
	for _, part := range []struct {
		name string
		run  func(*cluster)
	}{
		{"a pod that came before the nodes is placed", func(c *cluster) { c.placed("early"); c.remove("early") }},
		{"a node selector chooses the node", func(c *cluster) {
			for disk, node := range map[string]string{"ssd": "fast", "hdd": "slow"} {
				pod := wanting("on-"+disk, "100m")
				pod.Spec.NodeSelector = map[string]string{"disk": disk}
				c.create(pod)
				c.placedOn("on-"+disk, node)
				c.remove("on-" + disk)
			}
		}},
		{"a pod is placed where it fits, and one that fits nowhere waits for a node", func(c *cluster) {
			c.create(wanting("big", "3"))
			c.placedOn("big", "fast")
			c.create(wanting("huge", "8"))
			c.refused("huge", "0/2 nodes are available: 2 Insufficient cpu.")
			c.addNode("vast", "tape", "16")
			c.placedOn("huge", "vast")
			c.remove("big")
			c.remove("huge")
			c.must(c.clients.CoreV1().Nodes().Delete(c.ctx, "vast", metav1.DeleteOptions{}))
		}},
		{"24 pods fill the nodes to the brim and not beyond", func(c *cluster) {
			for i := range 24 {
				c.create(wanting(fmt.Sprintf("small-%d", i), "250m"))
			}
			on := map[string]int{}
			for i := range 24 {
				on[c.placed(fmt.Sprintf("small-%d", i))]++
			}
			if on["fast"] != 16 || on["slow"] != 8 {
				c.Fatalf("pods are on %v", on)
			}
			c.create(wanting("one-too-many", "250m"))
			c.refused("one-too-many", "0/2 nodes are available: 2 Insufficient cpu.")
			c.remove("small-0")
			c.placed("one-too-many")
			c.must(c.clients.CoreV1().Pods(c.ns).DeleteCollection(c.ctx,
				metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{}))
		}},
		{"pods that avoid each other are on different nodes", func(c *cluster) {
			for _, name := range []string{"north", "south", "nowhere"} {
				pod := wanting(name, "100m")
				pod.Labels["avoid"] = "each-other"
				pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
						TopologyKey:   corev1.LabelHostname,
						LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"avoid": "each-other"}}}}}}
				c.create(pod)
				if name == "nowhere" {
					c.refused(name, "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.")
				} else {
					c.placed(name)
				}
			}
			if c.get("north").Spec.NodeName == c.get("south").Spec.NodeName {
				c.Fatal("both are on one node")
			}
			for _, name := range []string{"nowhere", "north", "south"} {
				c.remove(name)
			}
		}},
		{"a cordoned node gets no pods", func(c *cluster) {
			cordon := func(on string) {
				_, err := c.clients.CoreV1().Nodes().Patch(c.ctx, "fast", "application/strategic-merge-patch+json",
					[]byte(`{"spec":{"unschedulable":`+on+`}}`), metav1.PatchOptions{})
				c.must(err)
			}
			cordon("true")
			pod := wanting("kept-out", "100m")
			pod.Spec.NodeSelector = map[string]string{"disk": "ssd"}
			c.create(pod)
			c.refused("kept-out", "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, "+
				"1 node(s) were unschedulable.")
			cordon("false")
			c.placedOn("kept-out", "fast")
			c.remove("kept-out")
		}},
		{"a pod behind a gate waits until the gate is gone", func(c *cluster) {
			pod := wanting("gated", "100m")
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/hold"}}
			c.create(pod)
			if reason := scheduled(c.get("gated")).Reason; reason != corev1.PodReasonSchedulingGated {
				c.Fatalf("the condition's reason is %q", reason)
			}
			open := c.get("gated")
			open.Spec.SchedulingGates = nil
			_, err := c.clients.CoreV1().Pods(c.ns).Update(c.ctx, open, metav1.UpdateOptions{})
			c.must(err)
			c.placed("gated")
			c.remove("gated")
		}},
		{"an urgent pod takes the place of another", func(c *cluster) {
			_, err := c.clients.SchedulingV1().PriorityClasses().Create(c.ctx, &schedulingv1.PriorityClass{
				ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}, metav1.CreateOptions{})
			c.must(err)
			c.create(wanting("patient", "4"))
			c.placedOn("patient", "fast")
			urgent := wanting("urgent", "4")
			urgent.Spec.PriorityClassName = "urgent"
			c.create(urgent)
			running.Eventually(c.T, patience, func() string {
				victim := c.get("patient")
				for _, condition := range victim.Status.Conditions {
					if condition.Type == corev1.DisruptionTarget && condition.Reason == corev1.PodReasonPreemptionByScheduler &&
						victim.DeletionTimestamp != nil && c.get("urgent").Status.NominatedNodeName == "fast" {
						return ""
					}
				}
				return fmt.Sprintf("the other has %+v and goes at %v", victim.Status.Conditions, victim.DeletionTimestamp)
			})
			c.told("patient", "Preempted", "Preempted by pod")
			c.remove("patient")
			c.placedOn("urgent", "fast")
			c.remove("urgent")
		}},
		{"the scheduler has found every resource that it looks for", func(c *cluster) {
			text, err := os.ReadFile(c.log)
			c.must(err)
			for _, line := range strings.Split(string(text), "\n") {
				if strings.Contains(line, "reflector.go") && !strings.HasPrefix(line, "I") {
					c.Errorf("kube-scheduler complains: %s", line)
				}
			}
			if !strings.Contains(string(text), "Caches populated") {
				c.Error("kube-scheduler does not say that its caches are populated")
			}
		}},
		{"the scheduler goes on over a crash of the server", func(c *cluster) {
			for i := range 12 {
				c.create(wanting(fmt.Sprintf("before-%d", i), "100m"))
			}
			c.must(c.server.KillAndRestart())
			for i := range 12 {
				c.create(wanting(fmt.Sprintf("after-%d", i), "100m"))
			}
			for i := range 12 {
				running.Eventually(c.T, 2*patience, func() string {
					for _, when := range []string{"before", "after"} {
						if name := fmt.Sprintf("%s-%d", when, i); c.get(name).Spec.NodeName == "" {
							return name + " has no node"
						}
					}
					return ""
				})
			}
			lease, err := c.clients.CoordinationV1().Leases("kube-system").Get(c.ctx, "kube-scheduler", metav1.GetOptions{})
			c.must(err)
			if *lease.Spec.LeaseTransitions != 0 {
				c.Fatalf("the scheduler lost its lease: %+v", lease.Spec)
			}
		}},
	} {
		if !t.Run(part.name, func(t *testing.T) { of := *c; of.T = t; part.run(&of) }) {
			return // what it left behind would confuse the others
		}
	}
}
