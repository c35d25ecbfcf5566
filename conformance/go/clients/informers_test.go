package clients

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"muster/conformance/running"
)

// everyWay runs the case with each form and with lists streamed (WatchList) and not, each on a namespace of its own.
func everyWay(t *testing.T, server *running.Server, run func(w *world, seen *traffic, watchList bool)) {
	t.Helper()
	for _, watchList := range []bool{true, false} {
		for _, form := range slices.Sorted(maps.Keys(contentTypes)) {
			t.Run(fmt.Sprintf("WatchList %t, %s", watchList, form), func(t *testing.T) {
				featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
				seen := &traffic{}
				run(newWorld(t, seen.of(in(server.Config(t), contentTypes[form]))), seen, watchList)
			})
		}
	}
}

// newFactory has informers for the world's namespace; they end with the case.
func newFactory(w *world, options ...informers.SharedInformerOption) informers.SharedInformerFactory {
	options = append([]informers.SharedInformerOption{informers.WithNamespace(w.ns)}, options...)
	factory := informers.NewSharedInformerFactoryWithOptions(w.clients, 0, options...)
	w.Cleanup(factory.Shutdown)
	return factory
}

// start runs the informers that were asked for, and waits until each has a first list.
func start(w *world, factory informers.SharedInformerFactory) {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.Cleanup(cancel)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(w.ctx.Done()) {
		if !synced {
			w.Fatalf("the informer of %v was never in sync", kind)
		}
	}
}

// difference says in what an informer's cache is not what the server lists; "" when they are the same.
func difference[T any, P interface {
	*T
	metav1.Object
}](store cache.Store, items []T) string {
	listed := map[string]P{}
	for i := range items {
		key, _ := cache.MetaNamespaceKeyFunc(P(&items[i]))
		listed[key] = &items[i]
	}
	for _, key := range store.ListKeys() {
		if listed[key] == nil {
			return "the cache still has " + key
		}
	}
	for key, object := range listed {
		cached, found, _ := store.GetByKey(key)
		if !found {
			return "the cache has no " + key
		}
		if !apiequality.Semantic.DeepEqual(cached, object) {
			return fmt.Sprintf("the cache has %s as %v, the server as %v", key, cached, object)
		}
	}
	return ""
}

// history keeps what a handler is told and complains when an object goes back.
type history struct {
	mu         sync.Mutex
	revisions  map[string]uint64
	complaints []string
	updates    int
}

func (h *history) OnAdd(object any, _ bool) { h.on(object, false) }
func (h *history) OnUpdate(_, object any)   { h.on(object, false) }
func (h *history) OnDelete(object any)      { h.on(object, true) }
func (h *history) complain(format string, a ...any) {
	h.complaints = append(h.complaints, fmt.Sprintf(format, a...))
}

func (h *history) on(object any, deleted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last, missed := object.(cache.DeletedFinalStateUnknown); missed {
		object = last.Obj
	}
	meta := object.(metav1.Object)
	revision, err := strconv.ParseUint(meta.GetResourceVersion(), 10, 64)
	if err != nil {
		h.complain("%s has the revision %q", meta.GetName(), meta.GetResourceVersion())
	}
	if h.revisions == nil {
		h.revisions = map[string]uint64{}
	}
	if before := h.revisions[meta.GetName()]; revision < before {
		h.complain("%s went back from %d to %d", meta.GetName(), before, revision)
	}
	h.updates++
	if deleted {
		delete(h.revisions, meta.GetName())
	} else {
		h.revisions[meta.GetName()] = revision
	}
}

func (h *history) names() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.revisions))
}

func TestInformersFollow24ChangingObjectsOfEachKind(t *testing.T) {
	everyWay(t, running.Start(t), func(w *world, seen *traffic, watchList bool) {
		maps, jobs, pods := w.clients.CoreV1().ConfigMaps(w.ns), w.clients.BatchV1().Jobs(w.ns), w.clients.CoreV1().Pods(w.ns)
		create := func(i int) {
			name := fmt.Sprintf("o-%02d", i)
			_, err := maps.Create(w.ctx, running.ConfigMap(name, map[string]string{"n": "0"}), metav1.CreateOptions{})
			w.must(err)
			_, err = jobs.Create(w.ctx, running.Job(name, 1), metav1.CreateOptions{})
			w.must(err)
			_, err = pods.Create(w.ctx, running.Pod(name), metav1.CreateOptions{})
			w.must(err)
		}
		for i := range 12 {
			create(i)
		}
		factory := newFactory(w)
		mapInformer := factory.Core().V1().ConfigMaps().Informer()
		jobInformer := factory.Batch().V1().Jobs().Informer()
		podInformer := factory.Core().V1().Pods().Informer()
		var told history
		_, err := jobInformer.AddEventHandler(&told)
		w.must(err)
		start(w, factory)
		w.same("Jobs in the first list", len(jobInformer.GetStore().List()), 12)
		for _, resource := range []string{"jobs", "pods", "configmaps"} {
			lists, watches, watchLists := seen.counts(resource)
			if watchList && (lists != 0 || watchLists != 1) || !watchList && (lists != 1 || watchLists != 0) {
				w.Fatalf("%s: %d lists, %d watches, %d watches with a list", resource, lists, watches, watchLists)
			}
		}

		for i := 12; i < 24; i++ {
			create(i)
		}
		var all sync.WaitGroup
		for i := range 24 {
			all.Go(func() { churn(w, fmt.Sprintf("o-%02d", i), i%3 == 0) })
		}
		all.Wait()
		running.Eventually(w.T, 20*time.Second, func() string {
			mapList, err := maps.List(w.ctx, metav1.ListOptions{})
			w.must(err)
			jobList, err := jobs.List(w.ctx, metav1.ListOptions{})
			w.must(err)
			podList, err := pods.List(w.ctx, metav1.ListOptions{})
			w.must(err)
			return difference(mapInformer.GetStore(), mapList.Items) +
				difference(jobInformer.GetStore(), jobList.Items) + difference(podInformer.GetStore(), podList.Items)
		})
		jobList, err := jobs.List(w.ctx, metav1.ListOptions{})
		w.must(err)
		w.same("Jobs", len(jobList.Items), 16)
		running.Eventually(w.T, 5*time.Second, func() string {
			if slices.Equal(told.names(), names(jobList.Items)) {
				return ""
			}
			return fmt.Sprintf("the handler knows %v", told.names())
		})
		w.same("complaints", told.complaints, []string(nil))
		// 24 added, each changed six times, 8 deleted: between two events nothing was lost or merged.
		w.same("what the handler was told", told.updates >= 24+24*6+8, true)
	})
}

// churn changes the object of that name of each kind six times, and then deletes it if it shall.
func churn(w *world, name string, remove bool) {
	maps, jobs, pods := w.clients.CoreV1().ConfigMaps(w.ns), w.clients.BatchV1().Jobs(w.ns), w.clients.CoreV1().Pods(w.ns)
	check := func(err error) {
		if err != nil {
			w.Errorf("%s: %v", name, err)
		}
	}
	for n := range 6 {
		made, err := maps.Get(w.ctx, name, metav1.GetOptions{})
		check(err)
		made.Data["n"] = strconv.Itoa(n + 1)
		_, err = maps.Update(w.ctx, made, metav1.UpdateOptions{})
		check(err)
		job, err := jobs.Get(w.ctx, name, metav1.GetOptions{})
		check(err)
		job.Status.Active = int32(n + 1)
		_, err = jobs.UpdateStatus(w.ctx, job, metav1.UpdateOptions{})
		check(err)
		pod, err := pods.Get(w.ctx, name, metav1.GetOptions{})
		check(err)
		pod.Annotations = map[string]string{"n": strconv.Itoa(n + 1)}
		_, err = pods.Update(w.ctx, pod, metav1.UpdateOptions{})
		check(err)
	}
	if remove {
		background := metav1.DeletePropagationBackground
		options := metav1.DeleteOptions{GracePeriodSeconds: new(int64), PropagationPolicy: &background}
		check(maps.Delete(w.ctx, name, options))
		check(jobs.Delete(w.ctx, name, options))
		check(pods.Delete(w.ctx, name, options))
	}
}

func TestInformersWhoseWatchesEndEverySecondListOnlyOnce(t *testing.T) {
	everyWay(t, running.Start(t), func(w *world, seen *traffic, watchList bool) {
		second := int64(1)
		factory := newFactory(w, informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.TimeoutSeconds = &second }))
		informer := factory.Core().V1().ConfigMaps().Informer()
		start(w, factory)
		maps, made := w.clients.CoreV1().ConfigMaps(w.ns), 0
		running.Eventually(w.T, 20*time.Second, func() string {
			_, err := maps.Create(w.ctx, running.ConfigMap(fmt.Sprintf("m-%d", made), nil), metav1.CreateOptions{})
			w.must(err)
			made++
			if _, watches, watchLists := seen.counts("configmaps"); watches+watchLists < 4 {
				return fmt.Sprintf("there were only %d watches", watches+watchLists)
			}
			return ""
		})
		running.Eventually(w.T, 10*time.Second, func() string {
			if known := len(informer.GetStore().List()); known != made {
				return fmt.Sprintf("the informer knows %d of %d", known, made)
			}
			return ""
		})
		lists, _, watchLists := seen.counts("configmaps")
		w.same("lists", lists+watchLists, 1)
	})
}

func TestAnInformerWithASelectorSeesObjectsComeAndGo(t *testing.T) {
	everyWay(t, running.Start(t), func(w *world, seen *traffic, watchList bool) {
		factory := newFactory(w, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.LabelSelector, o.FieldSelector = "app=chosen", "status.phase!=Succeeded"
		}))
		informer := factory.Core().V1().Pods().Informer()
		start(w, factory)
		knows := func(want ...string) {
			w.Helper()
			running.Eventually(w.T, 10*time.Second, func() string {
				known := []string{}
				for _, pod := range informer.GetStore().List() {
					known = append(known, pod.(*corev1.Pod).Name)
				}
				slices.Sort(known)
				if slices.Equal(known, want) {
					return ""
				}
				return fmt.Sprintf("the informer knows %v, not %v", known, want)
			})
		}
		pods := w.clients.CoreV1().Pods(w.ns)
		for _, name := range []string{"a", "b", "c"} {
			_, err := pods.Create(w.ctx, running.Pod(name), metav1.CreateOptions{})
			w.must(err)
		}
		relabel := func(name, app string) {
			pod, err := pods.Get(w.ctx, name, metav1.GetOptions{})
			w.must(err)
			pod.Labels["app"] = app
			_, err = pods.Update(w.ctx, pod, metav1.UpdateOptions{})
			w.must(err)
		}
		relabel("a", "chosen")
		relabel("b", "chosen")
		knows("a", "b")
		relabel("a", "other")
		knows("b")
		done, err := pods.Get(w.ctx, "b", metav1.GetOptions{})
		w.must(err)
		done.Status.Phase = corev1.PodSucceeded
		_, err = pods.UpdateStatus(w.ctx, done, metav1.UpdateOptions{})
		w.must(err)
		knows()
	})
}

func TestInformersWithoutTypesSeeTheSame(t *testing.T) {
	everyWay(t, running.Start(t), func(w *world, seen *traffic, watchList bool) {
		resource := batchv1.SchemeGroupVersion.WithResource("jobs")
		anything, err := dynamic.NewForConfig(in(w.config, runtime.ContentTypeJSON))
		w.must(err)
		onlyMetadata, err := metadata.NewForConfig(w.config)
		w.must(err)
		dynamicFactory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(anything, 0, w.ns, nil)
		w.Cleanup(dynamicFactory.Shutdown)
		metadataFactory := metadatainformer.NewFilteredSharedInformerFactory(onlyMetadata, 0, w.ns, nil)
		w.Cleanup(metadataFactory.Shutdown)
		stores := []cache.Store{
			dynamicFactory.ForResource(resource).Informer().GetStore(),
			metadataFactory.ForResource(resource).Informer().GetStore(),
		}
		ctx, cancel := context.WithCancel(context.Background())
		w.Cleanup(cancel)
		dynamicFactory.Start(ctx.Done())
		metadataFactory.Start(ctx.Done())
		for i := range 24 {
			job := running.Job(fmt.Sprintf("j-%d", i), 1)
			_, err := w.clients.BatchV1().Jobs(w.ns).Create(w.ctx, job, metav1.CreateOptions{})
			w.must(err)
		}
		listed, err := w.clients.BatchV1().Jobs(w.ns).List(w.ctx, metav1.ListOptions{})
		w.must(err)
		for _, store := range stores {
			running.Eventually(w.T, 20*time.Second, func() string {
				for _, job := range listed.Items {
					known, found, _ := store.GetByKey(w.ns + "/" + job.Name)
					if !found || known.(metav1.Object).GetUID() != job.UID {
						return "the informer does not know " + job.Name
					}
				}
				return ""
			})
		}
	})
}

func TestWaitingForAConditionGoesOnWhereTheWatchEnded(t *testing.T) {
	everyWay(t, running.Start(t), func(w *world, seen *traffic, watchList bool) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		first, err := maps.Create(w.ctx, running.ConfigMap("m", map[string]string{"n": "0"}), metav1.CreateOptions{})
		w.must(err)
		second := int64(1)
		short := func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.TimeoutSeconds = &second
			return maps.Watch(ctx, options)
		}
		watcher := &cache.ListWatch{WatchFuncWithContext: short}
		change := func(object *corev1.ConfigMap, n int) error {
			object.Data["n"] = strconv.Itoa(n)
			_, err := maps.Update(w.ctx, object, metav1.UpdateOptions{})
			return err
		}
		w.must(change(first.DeepCopy(), 1))
		expected := 1
		_, err = watchtools.Until(w.ctx, first.ResourceVersion, watcher, func(event watch.Event) (bool, error) {
			changed := event.Object.(*corev1.ConfigMap)
			if changed.Data["n"] != strconv.Itoa(expected) {
				return false, fmt.Errorf("expected %d, not %s", expected, changed.Data["n"])
			}
			expected++
			// Until several watches have ended.
			if _, watches, _ := seen.counts("configmaps"); watches > 2 {
				return true, nil
			}
			time.Sleep(50 * time.Millisecond)
			return false, change(changed, expected)
		})
		w.must(err)
		lists, _, _ := seen.counts("configmaps")
		w.same("lists", lists, 0)
	})
}

func TestAnInformerReadsAListOfManyPages(t *testing.T) {
	server := running.Start(t)
	const many = 1200
	w := newWorld(t, in(server.Config(t), runtime.ContentTypeProtobuf))
	var all sync.WaitGroup
	for worker := range 12 {
		all.Go(func() {
			for i := range many / 12 {
				name := fmt.Sprintf("m-%d-%d", worker, i)
				large := map[string]string{"text": strings.Repeat(name, 50)}
				_, err := w.clients.CoreV1().ConfigMaps(w.ns).Create(w.ctx, running.ConfigMap(name, large), metav1.CreateOptions{})
				if err != nil {
					w.Error(err)
				}
			}
		})
	}
	all.Wait()
	listed, err := w.clients.CoreV1().ConfigMaps(w.ns).List(w.ctx, metav1.ListOptions{})
	w.must(err)
	w.same("how many", len(listed.Items), many)
	everyWay(t, server, func(other *world, seen *traffic, watchList bool) {
		other.ns = w.ns
		factory := newFactory(other)
		informer := factory.Core().V1().ConfigMaps().Informer()
		start(other, factory)
		other.same("difference", difference(informer.GetStore(), listed.Items), "")
	})
}
