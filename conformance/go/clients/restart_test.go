package clients

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"muster/conformance/running"
)

// promises is what the server has acknowledged to one writer, the only one of its objects.
type promises struct {
	numbers map[string]int
	deleted []string
	broken  []string
}

// write adds one to each of its objects in turn, makes and deletes others, and tries again whatever fails, until done.
func write(ctx context.Context, objects typedcorev1.ConfigMapInterface, writer int,
	done *atomic.Bool, written *atomic.Int64) promises {
	kept := promises{numbers: map[string]int{}}
	for round := 0; !done.Load() && ctx.Err() == nil; round++ {
		name := fmt.Sprintf("w%d-%d", writer, round%4)
		if kept.addOne(ctx, objects, name) {
			written.Add(1)
		}
		passing := fmt.Sprintf("w%d-passing-%d", writer, round)
		if _, err := objects.Create(ctx, running.ConfigMap(passing, nil), metav1.CreateOptions{}); err != nil {
			continue
		}
		if objects.Delete(ctx, passing, metav1.DeleteOptions{}) == nil {
			kept.deleted = append(kept.deleted, passing)
		}
	}
	return kept
}

// addOne is true when the change was acknowledged. A write without an answer may have happened.
func (kept *promises) addOne(ctx context.Context, objects typedcorev1.ConfigMapInterface, name string) bool {
	object, err := objects.Get(ctx, name, metav1.GetOptions{})
	acknowledged, made := kept.numbers[name]
	if apierrors.IsNotFound(err) {
		if made {
			kept.broken = append(kept.broken, name+" is gone")
		}
		fresh := running.ConfigMap(name, map[string]string{"n": "0"})
		if _, err = objects.Create(ctx, fresh, metav1.CreateOptions{}); err == nil {
			kept.numbers[name] = 0
		}
		return err == nil
	}
	if err != nil {
		return false
	}
	n, _ := strconv.Atoi(object.Data["n"])
	if n < acknowledged {
		kept.broken = append(kept.broken, fmt.Sprintf("%s was acknowledged as %d and is %d", name, acknowledged, n))
	}
	object.Data["n"] = strconv.Itoa(n + 1)
	if _, err = objects.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
		return false
	}
	kept.numbers[name] = n + 1
	return true
}

func TestInformersFollowOverCrashesOfTheServerAndNothingIsLost(t *testing.T) {
	server := running.Start(t)
	everyWay(t, server, func(w *world, seen *traffic, watchList bool) {
		objects := w.clients.CoreV1().ConfigMaps(w.ns)
		factory := newFactory(w)
		informer := factory.Core().V1().ConfigMaps().Informer()
		var told history
		_, err := informer.AddEventHandler(&told)
		w.must(err)
		start(w, factory)

		var done atomic.Bool
		var written atomic.Int64
		var all sync.WaitGroup
		kept := make([]promises, 6)
		defer done.Store(true)
		for i := range kept {
			all.Go(func() { kept[i] = write(w.ctx, objects, i, &done, &written) })
		}
		for crash := range 2 {
			until := written.Load() + 100
			running.Eventually(w.T, 30*time.Second, func() string {
				if written.Load() >= until {
					return ""
				}
				return "the writers do not get on"
			})
			w.must(server.KillAndRestart())
			// The informer is back before the next crash. It waits longer each time, of its own accord.
			marker := fmt.Sprintf("after-crash-%d", crash)
			insistOn(w, marker)
			running.Eventually(w.T, 45*time.Second, func() string {
				if _, known, _ := informer.GetStore().GetByKey(w.ns + "/" + marker); known {
					return ""
				}
				return "the informer does not follow any more"
			})
		}
		done.Store(true)
		all.Wait()

		listed, err := objects.List(w.ctx, metav1.ListOptions{})
		w.must(err)
		checkKept(w, listed.Items, kept)
		running.Eventually(w.T, 45*time.Second, func() string { return difference(informer.GetStore(), listed.Items) })
		running.Eventually(w.T, 10*time.Second, func() string {
			if slices.Equal(told.names(), names(listed.Items)) {
				return ""
			}
			return fmt.Sprintf("the handler knows %v", told.names())
		})
		w.same("complaints", told.complaints, []string(nil))
		// One list of these is this test's own.
		lists, watches, watchLists := seen.counts("configmaps")
		w.Logf("%d objects, %d acknowledged changes; the informer listed %d times, watched %d and streamed lists %d times",
			len(listed.Items), written.Load(), lists-1, watches, watchLists)
	})
}

// insistOn makes a ConfigMap, whatever becomes of the connection.
func insistOn(w *world, name string) {
	w.Helper()
	running.Insist(w.T, func() error {
		_, err := w.clients.CoreV1().ConfigMaps(w.ns).Create(w.ctx, running.ConfigMap(name, nil), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// checkKept compares what is there with what was acknowledged.
func checkKept(w *world, items []corev1.ConfigMap, kept []promises) {
	w.Helper()
	numbers := map[string]int{}
	for _, item := range items {
		n, _ := strconv.Atoi(item.Data["n"])
		numbers[item.Name] = n
	}
	for _, of := range kept {
		w.same("promises broken", of.broken, []string(nil))
		w.same("objects of a writer", len(of.numbers), 4)
		for name, n := range of.numbers {
			if found, there := numbers[name]; !there || found < n {
				w.Errorf("%s was acknowledged as %d and is %d (there: %t)", name, n, found, there)
			}
		}
		for _, name := range of.deleted {
			if _, there := numbers[name]; there {
				w.Errorf("%s was deleted and is back", name)
			}
		}
	}
}

func TestAnInformerThatHasSeenEverythingResumesAfterACrashWithoutAList(t *testing.T) {
	server := running.Start(t)
	everyWay(t, server, func(w *world, seen *traffic, watchList bool) {
		factory := newFactory(w)
		informer := factory.Core().V1().ConfigMaps().Informer()
		start(w, factory)
		for _, name := range []string{"before", "after"} {
			insistOn(w, name)
			running.Eventually(w.T, 20*time.Second, func() string {
				if _, known, _ := informer.GetStore().GetByKey(w.ns + "/" + name); known {
					return ""
				}
				return "the informer does not know " + name
			})
			if name == "before" {
				w.must(server.KillAndRestart())
			}
		}
		lists, watches, watchLists := seen.counts("configmaps")
		w.same("lists", lists+watchLists, 1)
		w.same("watches", watches > 1, true)
	})
}

func TestAWatchFromBeforeACrashResumesOrIsToldThatItIsTooOld(t *testing.T) {
	server := running.Start(t)
	everyWay(t, server, func(w *world, _ *traffic, watchList bool) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		first, err := maps.Create(w.ctx, running.ConfigMap("first", nil), metav1.CreateOptions{})
		w.must(err)
		second, err := maps.Create(w.ctx, running.ConfigMap("second", nil), metav1.CreateOptions{})
		w.must(err)
		w.must(server.KillAndRestart())
		insistOn(w, "third")

		old, err := maps.Watch(w.ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion})
		w.must(err)
		defer old.Stop()
		switch event := <-old.ResultChan(); event.Type {
		case watch.Error:
			w.refused(apierrors.FromObject(event.Object), apierrors.IsResourceExpired)
		default:
			w.same("what came next", event.Object.(metav1.Object).GetName(), "second")
		}

		newest, err := maps.Watch(w.ctx, metav1.ListOptions{ResourceVersion: second.ResourceVersion})
		w.must(err)
		defer newest.Stop()
		event := <-newest.ResultChan()
		w.same("type", event.Type, watch.Added)
		w.same("what came next", event.Object.(metav1.Object).GetName(), "third")

		err = w.clients.CoreV1().RESTClient().Get().MaxRetries(0).Namespace(w.ns).Resource("configmaps").
			Param("resourceVersion", strconv.Itoa(1<<40)).Do(w.ctx).Error()
		w.refused(err, apierrors.IsTimeout)
		w.same("its cause", apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge), true)
	})
}
