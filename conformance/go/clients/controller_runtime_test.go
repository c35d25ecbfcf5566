package clients

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"muster/conformance/running"
)

const (
	copyFinalizer = "conformance.example/copy"
	byParallelism = "spec.parallelism"
)

// copier keeps a ConfigMap beside every Job that says how parallel it is, and says so in the Job's status.
type copier struct {
	client.Client
	name   string
	events events.EventRecorder
}

func (c *copier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	job := &batchv1.Job{}
	if err := c.Get(ctx, request.NamespacedName, job); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	copied := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: job.Name, Namespace: job.Namespace}}
	before := job.DeepCopy()
	if !job.DeletionTimestamp.IsZero() {
		if err := c.Delete(ctx, copied); client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(job, copyFinalizer)
		return ctrl.Result{}, client.IgnoreNotFound(c.Patch(ctx, job, client.MergeFrom(before)))
	}
	if controllerutil.AddFinalizer(job, copyFinalizer) {
		return ctrl.Result{}, c.Patch(ctx, job, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	done, err := controllerutil.CreateOrUpdate(ctx, c, copied, func() error {
		parallelism := strconv.Itoa(int(*job.Spec.Parallelism))
		if copied.Data["parallelism"] != parallelism {
			copied.Data = map[string]string{"parallelism": parallelism, "by": c.name}
		}
		return controllerutil.SetControllerReference(job, copied, c.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if done == controllerutil.OperationResultCreated {
		c.events.Eventf(job, copied, corev1.EventTypeNormal, "Copied", "Copy", "%s has a copy", job.Name)
	}
	if job.Status.Active != *job.Spec.Parallelism {
		job.Status.Active = *job.Spec.Parallelism
		return ctrl.Result{}, c.Status().Patch(ctx, job, client.StrategicMergeFrom(before))
	}
	return ctrl.Result{}, nil
}

// candidate is a manager that may become the leader, and its controller.
type candidate struct {
	manager.Manager
	stop  context.CancelFunc
	ended chan error
}

func newCandidate(w *world, name string) *candidate {
	m, err := manager.New(w.config, manager.Options{
		Logger: logr.Discard(), Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache:          cache.Options{DefaultNamespaces: map[string]cache.Config{w.ns: {}}},
		Controller:     config.Controller{SkipNameValidation: ptr.To(true)},
		LeaderElection: true, LeaderElectionID: "copier", LeaderElectionNamespace: w.ns, LeaderElectionReleaseOnCancel: true,
		LeaseDuration: ptr.To(8 * time.Second), RenewDeadline: ptr.To(6 * time.Second), RetryPeriod: ptr.To(time.Second / 2),
	})
	w.must(err)
	w.must(m.GetFieldIndexer().IndexField(w.ctx, &batchv1.Job{}, byParallelism, func(object client.Object) []string {
		return []string{strconv.Itoa(int(*object.(*batchv1.Job).Spec.Parallelism))}
	}))
	w.must(ctrl.NewControllerManagedBy(m).For(&batchv1.Job{}).Owns(&corev1.ConfigMap{}).
		Complete(&copier{m.GetClient(), name, m.GetEventRecorder(name)}))
	ctx, cancel := context.WithCancel(context.Background())
	c := &candidate{m, cancel, make(chan error, 1)}
	go func() { c.ended <- m.Start(ctx) }()
	w.Cleanup(cancel)
	return c
}

// end stops the manager, which must not have ended before.
func (c *candidate) end(w *world) {
	w.Helper()
	select {
	case err := <-c.ended:
		w.Fatalf("the manager ended by itself: %v", err)
	default:
	}
	c.stop()
	w.must(<-c.ended)
}

func (c *candidate) leads() bool {
	select {
	case <-c.Elected():
		return true
	default:
		return false
	}
}

// eachJob calls for 24 names at the same time.
func eachJob(w *world, do func(name string, i int) error) {
	w.Helper()
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			if err := do(fmt.Sprintf("job-%02d", i), i); err != nil {
				w.Error(err)
			}
		})
	}
	all.Wait()
	if w.Failed() {
		w.FailNow()
	}
}

// setParallelism tries again over conflicts and crashes.
func setParallelism(w *world, name string, parallelism int) error {
	jobs := w.clients.BatchV1().Jobs(w.ns)
	backoff := wait.Backoff{Duration: 20 * time.Millisecond, Steps: 1000}
	return retry.OnError(backoff, func(error) bool { return w.ctx.Err() == nil }, func() error {
		job, err := jobs.Get(w.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		*job.Spec.Parallelism = int32(parallelism)
		_, err = jobs.Update(w.ctx, job, metav1.UpdateOptions{})
		return err
	})
}

// copiesSay waits until every Job has its copy and its status; `by` is who must have made them, "" for anybody.
func copiesSay(w *world, parallelism int, by string) {
	w.Helper()
	running.Eventually(w.T, 40*time.Second, func() string {
		copies, err := w.clients.CoreV1().ConfigMaps(w.ns).List(w.ctx, metav1.ListOptions{})
		w.must(err)
		jobs, err := w.clients.BatchV1().Jobs(w.ns).List(w.ctx, metav1.ListOptions{})
		w.must(err)
		if len(copies.Items) != 24 || len(jobs.Items) != 24 {
			return fmt.Sprintf("%d copies of %d Jobs", len(copies.Items), len(jobs.Items))
		}
		for i, job := range jobs.Items {
			data := copies.Items[i].Data
			if data["parallelism"] != strconv.Itoa(parallelism) || int(job.Status.Active) != parallelism ||
				by != "" && data["by"] != by || !metav1.IsControlledBy(&copies.Items[i], &job) {
				return fmt.Sprintf("%s: copy %v, status %d", job.Name, data, job.Status.Active)
			}
		}
		return ""
	})
}

func holder(w *world) *coordinationv1.Lease {
	w.Helper()
	lease, err := w.clients.CoordinationV1().Leases(w.ns).Get(w.ctx, "copier", metav1.GetOptions{})
	w.must(err)
	return lease
}

func TestAManagerOfControllerRuntimeLeads24ChangingJobsOverACrashAndAHandover(t *testing.T) {
	s := running.Start(t)
	everyWay(t, s, func(w *world, _ *traffic, watchList bool) {
		first := newCandidate(w, "first")
		running.Eventually(w.T, 10*time.Second, func() string {
			if first.leads() {
				return ""
			}
			return "the first candidate does not lead"
		})
		second := newCandidate(w, "second")
		eachJob(w, func(name string, _ int) error {
			_, err := w.clients.BatchV1().Jobs(w.ns).Create(w.ctx, running.Job(name, 1), metav1.CreateOptions{})
			return err
		})
		copiesSay(w, 1, "first")

		crash := make(chan error, 1)
		eachJob(w, func(name string, i int) error {
			for n := range 5 {
				if i == 0 && n == 2 {
					crash <- s.KillAndRestart()
				}
				if err := setParallelism(w, name, 2+n); err != nil {
					return err
				}
			}
			return nil
		})
		w.must(<-crash)
		copiesSay(w, 6, "first")

		w.same("the second leads beside the first", second.leads(), false)
		leader := *holder(w).Spec.HolderIdentity
		first.end(w)
		eachJob(w, func(name string, _ int) error { return setParallelism(w, name, 7) })
		copiesSay(w, 7, "second")
		w.same("the holder is another", *holder(w).Spec.HolderIdentity != leader, true)

		cached := &batchv1.JobList{}
		w.must(second.GetClient().List(w.ctx, cached, client.InNamespace(w.ns), client.MatchingFields{byParallelism: "7"}))
		w.same("Jobs by index", len(cached.Items), 24)
		told, err := w.clients.EventsV1().Events(w.ns).List(w.ctx, metav1.ListOptions{FieldSelector: "reason=Copied"})
		w.must(err)
		w.same("events", len(told.Items), 24)

		eachJob(w, func(name string, _ int) error {
			background := metav1.DeletePropagationBackground
			return w.clients.BatchV1().Jobs(w.ns).Delete(w.ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
		})
		running.Eventually(w.T, 20*time.Second, func() string {
			jobs, err := w.clients.BatchV1().Jobs(w.ns).List(w.ctx, metav1.ListOptions{})
			w.must(err)
			copies, err := w.clients.CoreV1().ConfigMaps(w.ns).List(w.ctx, metav1.ListOptions{})
			w.must(err)
			if len(jobs.Items)+len(copies.Items) == 0 {
				return ""
			}
			return fmt.Sprintf("%d Jobs and %d copies are left", len(jobs.Items), len(copies.Items))
		})
		second.end(w)
	})
}
