// Package clients is Go's client libraries against the binary: client-go's typed clients and informers, and
// controller-runtime. Every test function has a server of its own, every case in it a namespace.
package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"

	"muster/conformance/running"
)

// world is what one case works in.
type world struct {
	*testing.T
	ctx     context.Context
	config  *rest.Config
	clients *kubernetes.Clientset
	ns      string
}

func newWorld(t *testing.T, config *rest.Config) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, ctx, config, clients, running.Namespace(t, clients)}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// same fails the case unless both are equal.
func (w *world) same(what string, got, want any) {
	w.Helper()
	if !reflect.DeepEqual(got, want) {
		w.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// refused fails the case unless `is` knows the error.
func (w *world) refused(err error, is func(error) bool) *apierrors.StatusError {
	w.Helper()
	var status *apierrors.StatusError
	if !errors.As(err, &status) || !is(err) {
		w.Fatalf("another answer was expected than %v", err)
	}
	return status
}

func names[T any, P interface {
	*T
	metav1.Object
}](items []T) []string {
	found := []string{}
	for i := range items {
		found = append(found, P(&items[i]).GetName())
	}
	slices.Sort(found)
	return found
}

// contentTypes are the two forms in which client-go speaks.
var contentTypes = map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf}

func in(config *rest.Config, contentType string) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = contentType
	config.AcceptContentTypes = contentType + "," + runtime.ContentTypeJSON
	return config
}

func TestTypedClients(t *testing.T) {
	server := running.Start(t)
	for _, form := range slices.Sorted(maps.Keys(contentTypes)) {
		for _, c := range typedCases {
			t.Run(form+"/"+c.name, func(t *testing.T) { c.run(newWorld(t, in(server.Config(t), contentTypes[form]))) })
		}
	}
}

var typedCases = []struct {
	name string
	run  func(*world)
}{
	{"a Job is created, read, changed and deleted", func(w *world) {
		jobs := w.clients.BatchV1().Jobs(w.ns)
		made, err := jobs.Create(w.ctx, running.Job("sum", 2), metav1.CreateOptions{})
		w.must(err)
		w.same("generation", made.Generation, int64(1))
		w.same("backoffLimit", *made.Spec.BackoffLimit, int32(6))
		w.same("selector", made.Spec.Selector.MatchLabels, map[string]string{batchv1.ControllerUidLabel: string(made.UID)})
		read, err := jobs.Get(w.ctx, "sum", metav1.GetOptions{})
		w.must(err)
		w.same("what is read", read, made)
		read.Spec.Parallelism = new(int32)
		changed, err := jobs.Update(w.ctx, read, metav1.UpdateOptions{})
		w.must(err)
		w.same("generation after a change", changed.Generation, int64(2))
		_, err = jobs.Update(w.ctx, read, metav1.UpdateOptions{})
		w.refused(err, apierrors.IsConflict)
		background := metav1.DeletePropagationBackground
		w.must(jobs.Delete(w.ctx, "sum", metav1.DeleteOptions{PropagationPolicy: &background}))
		_, err = jobs.Get(w.ctx, "sum", metav1.GetOptions{})
		w.refused(err, apierrors.IsNotFound)
	}},
	{"a pod comes back with everything that was sent", func(w *world) {
		sent := elaboratePod()
		made, err := w.clients.CoreV1().Pods(w.ns).Create(w.ctx, sent.DeepCopy(), metav1.CreateOptions{})
		w.must(err)
		w.same("containers' resources", made.Spec.Containers[0].Resources.Requests.Cpu().String(), "250m")
		w.same("probe", made.Spec.Containers[0].LivenessProbe.HTTPGet, sent.Spec.Containers[0].LivenessProbe.HTTPGet)
		w.same("environment", made.Spec.Containers[0].Env[1].ValueFrom.FieldRef.FieldPath, "metadata.name")
		w.same("volumes", made.Spec.Volumes, sent.Spec.Volumes)
		w.same("affinity", made.Spec.Affinity, sent.Spec.Affinity)
		w.same("tolerations", made.Spec.Tolerations[0], sent.Spec.Tolerations[0])
		w.same("spread", made.Spec.TopologySpreadConstraints, sent.Spec.TopologySpreadConstraints)
		w.same("class", made.Status.QOSClass, corev1.PodQOSBurstable)
	}},
	{"a patch of each kind changes what it names", func(w *world) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		_, err := maps.Create(w.ctx, running.ConfigMap("m", map[string]string{"a": "1", "b": "2"}), metav1.CreateOptions{})
		w.must(err)
		for kind, body := range map[types.PatchType]string{
			types.StrategicMergePatchType: `{"data":{"strategic":"yes","a":null}}`,
			types.MergePatchType:          `{"data":{"merge":"yes"}}`,
			types.JSONPatchType:           `[{"op":"add","path":"/data/json","value":"yes"}]`,
		} {
			_, err := maps.Patch(w.ctx, "m", kind, []byte(body), metav1.PatchOptions{})
			w.must(err)
		}
		read, err := maps.Get(w.ctx, "m", metav1.GetOptions{})
		w.must(err)
		w.same("data", read.Data, map[string]string{"b": "2", "strategic": "yes", "merge": "yes", "json": "yes"})
		same, err := maps.Patch(w.ctx, "m", types.MergePatchType, []byte(`{"data":{"b":"2"}}`), metav1.PatchOptions{})
		w.must(err)
		w.same("revision after a patch that changes nothing", same.ResourceVersion, read.ResourceVersion)
	}},
	{"the status is written on its own", func(w *world) {
		jobs := w.clients.BatchV1().Jobs(w.ns)
		made, err := jobs.Create(w.ctx, running.Job("j", 1), metav1.CreateOptions{})
		w.must(err)
		made.Status.Active, made.Spec.Suspend = 1, new(bool)
		*made.Spec.Suspend = true
		written, err := jobs.UpdateStatus(w.ctx, made, metav1.UpdateOptions{})
		w.must(err)
		w.same("active", written.Status.Active, int32(1))
		w.same("suspend", *written.Spec.Suspend, false)
		w.same("generation", written.Generation, int64(1))
	}},
	{"all that is wrong with a Job is told at once", func(w *world) {
		wrong := running.Job("j", -1)
		wrong.Spec.Completions, wrong.Spec.Template.Spec.RestartPolicy = new(int32), corev1.RestartPolicyAlways
		*wrong.Spec.Completions = -1
		_, err := w.clients.BatchV1().Jobs(w.ns).Create(w.ctx, wrong, metav1.CreateOptions{})
		causes := w.refused(err, apierrors.IsInvalid).ErrStatus.Details.Causes
		fields := []string{}
		for _, cause := range causes {
			fields = append(fields, cause.Field)
		}
		w.same("fields", fields, []string{"spec.parallelism", "spec.completions", "spec.template.spec.restartPolicy"})
	}},
	{"every error has its own question", func(w *world) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		made, err := maps.Create(w.ctx, running.ConfigMap("m", nil), metav1.CreateOptions{})
		w.must(err)
		_, err = maps.Create(w.ctx, running.ConfigMap("m", nil), metav1.CreateOptions{})
		w.refused(err, apierrors.IsAlreadyExists)
		_, err = maps.Create(w.ctx, running.ConfigMap("Not_A_Name", nil), metav1.CreateOptions{})
		w.refused(err, apierrors.IsInvalid)
		_, err = maps.List(w.ctx, metav1.ListOptions{FieldSelector: "data.x=1"})
		w.refused(err, apierrors.IsBadRequest)
		other := types.UID("other")
		err = maps.Delete(w.ctx, "m", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
		w.refused(err, apierrors.IsConflict)
		_, err = maps.List(w.ctx, metav1.ListOptions{Continue: "forged"})
		w.refused(err, apierrors.IsBadRequest)
		_, err = w.clients.CoreV1().ConfigMaps("nowhere").Create(w.ctx, running.ConfigMap("m", nil), metav1.CreateOptions{})
		w.refused(err, apierrors.IsNotFound)
		w.must(maps.Delete(w.ctx, "m", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &made.UID}}))
		w.refused(maps.Delete(w.ctx, "m", metav1.DeleteOptions{}), apierrors.IsNotFound)
	}},
	{"eight that add one to the same number lose none", func(w *world) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		_, err := maps.Create(w.ctx, running.ConfigMap("m", map[string]string{"n": ""}), metav1.CreateOptions{})
		w.must(err)
		backoff := retry.DefaultBackoff
		backoff.Steps = 1000
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 10 {
					if err := retry.RetryOnConflict(backoff, func() error {
						read, err := maps.Get(w.ctx, "m", metav1.GetOptions{})
						if err != nil {
							return err
						}
						read.Data["n"] += "1"
						_, err = maps.Update(w.ctx, read, metav1.UpdateOptions{})
						return err
					}); err != nil {
						w.Error(err)
					}
				}
			})
		}
		all.Wait()
		read, err := maps.Get(w.ctx, "m", metav1.GetOptions{})
		w.must(err)
		w.same("number", len(read.Data["n"]), 80)
	}},
	{"a long list comes in pages", func(w *world) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		for i := range 23 {
			_, err := maps.Create(w.ctx, running.ConfigMap(fmt.Sprintf("m%02d", i), nil), metav1.CreateOptions{})
			w.must(err)
		}
		pages, seen := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
			return maps.List(w.ctx, options)
		})), []string{}
		pages.PageSize = 5
		w.must(pages.EachListItem(w.ctx, metav1.ListOptions{}, func(object runtime.Object) error {
			seen = append(seen, object.(*corev1.ConfigMap).Name)
			return nil
		}))
		w.same("how many", len(seen), 23)
		w.same("order", slices.IsSorted(seen), true)
	}},
	{"selectors choose by labels and fields", func(w *world) {
		pods := w.clients.CoreV1().Pods(w.ns)
		for _, name := range []string{"a", "b", "c"} {
			pod := running.Pod(name)
			if name == "c" {
				pod.Spec.NodeName = "n-" + w.ns
			}
			_, err := pods.Create(w.ctx, pod, metav1.CreateOptions{})
			w.must(err)
		}
		found, err := pods.List(w.ctx, metav1.ListOptions{LabelSelector: "app in (a,c)"})
		w.must(err)
		w.same("by label", names(found.Items), []string{"a", "c"})
		found, err = w.clients.CoreV1().Pods("").List(w.ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=n-" + w.ns})
		w.must(err)
		w.same("by node", names(found.Items), []string{"c"})
		w.must(pods.DeleteCollection(w.ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)},
			metav1.ListOptions{LabelSelector: "app!=b"}))
		found, err = pods.List(w.ctx, metav1.ListOptions{})
		w.must(err)
		w.same("what is left", names(found.Items), []string{"b"})
	}},
	{"a pod is bound once and evicted", func(w *world) {
		pods := w.clients.CoreV1().Pods(w.ns)
		_, err := pods.Create(w.ctx, running.Pod("p"), metav1.CreateOptions{})
		w.must(err)
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"},
			Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
		w.must(pods.Bind(w.ctx, binding, metav1.CreateOptions{}))
		w.refused(pods.Bind(w.ctx, binding, metav1.CreateOptions{}), apierrors.IsConflict)
		bound, err := pods.Get(w.ctx, "p", metav1.GetOptions{})
		w.must(err)
		w.same("node", bound.Spec.NodeName, "n")
		w.same("condition", bound.Status.Conditions[0].Type, corev1.PodScheduled)
		w.must(pods.EvictV1(w.ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}}))
		evicted, err := pods.Get(w.ctx, "p", metav1.GetOptions{})
		w.must(err)
		w.same("going", evicted.DeletionTimestamp != nil, true)
	}},
	{"a dry run leaves nothing behind", func(w *world) {
		maps := w.clients.CoreV1().ConfigMaps(w.ns)
		made, err := maps.Create(w.ctx, running.ConfigMap("m", nil), metav1.CreateOptions{DryRun: []string{"All"}})
		w.must(err)
		w.same("uid", made.UID != "", true)
		_, err = maps.Get(w.ctx, "m", metav1.GetOptions{})
		w.refused(err, apierrors.IsNotFound)
	}},
	{"a typo is refused with its path, or warned of", func(w *world) {
		body := `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"paralelism":2,"template":{"spec":{
			"restartPolicy":"Never","containers":[{"name":"main","image":"busybox"}]}}}}`
		post := func(validation string, warnings rest.WarningHandler) error {
			return w.clients.BatchV1().RESTClient().Post().Namespace(w.ns).Resource("jobs").WarningHandler(warnings).
				Param("fieldValidation", validation).SetHeader("Content-Type", "application/json").Body([]byte(body)).
				Do(w.ctx).Error()
		}
		refusal := w.refused(post("Strict", rest.NoWarnings{}), apierrors.IsBadRequest)
		w.same("path", strings.Contains(refusal.Error(), `unknown field "spec.paralelism"`), true)
		var warned warnings
		w.must(post("Warn", &warned))
		w.same("warnings", warned.texts, []string{`unknown field "spec.paralelism"`})
	}},
	{"a service account's token opens what its role allows", func(w *world) {
		_, err := w.clients.CoreV1().ServiceAccounts(w.ns).Create(w.ctx,
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
		w.must(err)
		token, err := w.clients.CoreV1().ServiceAccounts(w.ns).CreateToken(w.ctx, "robot",
			&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		w.must(err)
		config := rest.AnonymousClientConfig(w.config)
		config.BearerToken = token.Status.Token
		robot, err := kubernetes.NewForConfig(config)
		w.must(err)
		me, err := robot.AuthenticationV1().SelfSubjectReviews().Create(w.ctx,
			&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		w.must(err)
		w.same("name", me.Status.UserInfo.Username, "system:serviceaccount:"+w.ns+":robot")
		_, err = robot.BatchV1().Jobs(w.ns).List(w.ctx, metav1.ListOptions{})
		w.refused(err, apierrors.IsForbidden)
		_, err = w.clients.RbacV1().RoleBindings(w.ns).Create(w.ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "b"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: "robot", Namespace: w.ns}},
		}, metav1.CreateOptions{})
		w.must(err)
		_, err = robot.BatchV1().Jobs(w.ns).List(w.ctx, metav1.ListOptions{})
		w.must(err)
		may, err := robot.AuthorizationV1().SelfSubjectAccessReviews().Create(w.ctx,
			&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: w.ns, Verb: "create", Group: "batch", Resource: "jobs"}}}, metav1.CreateOptions{})
		w.must(err)
		w.same("may create Jobs", may.Status.Allowed, false)
	}},
	{"every kind of the typed clients is listed", func(w *world) {
		for name, list := range map[string]func(context.Context, metav1.ListOptions) error{
			"replicasets":            listing(w.clients.AppsV1().ReplicaSets("").List),
			"statefulsets":           listing(w.clients.AppsV1().StatefulSets("").List),
			"cronjobs":               listing(w.clients.BatchV1().CronJobs("").List),
			"leases":                 listing(w.clients.CoordinationV1().Leases("").List),
			"limitranges":            listing(w.clients.CoreV1().LimitRanges("").List),
			"nodes":                  listing(w.clients.CoreV1().Nodes().List),
			"persistentvolumes":      listing(w.clients.CoreV1().PersistentVolumes().List),
			"persistentvolumeclaims": listing(w.clients.CoreV1().PersistentVolumeClaims("").List),
			"podtemplates":           listing(w.clients.CoreV1().PodTemplates("").List),
			"replicationcontrollers": listing(w.clients.CoreV1().ReplicationControllers("").List),
			"resourcequotas":         listing(w.clients.CoreV1().ResourceQuotas("").List),
			"secrets":                listing(w.clients.CoreV1().Secrets("").List),
			"services":               listing(w.clients.CoreV1().Services("").List),
			"endpointslices":         listing(w.clients.DiscoveryV1().EndpointSlices("").List),
			"events":                 listing(w.clients.EventsV1().Events("").List),
			"poddisruptionbudgets":   listing(w.clients.PolicyV1().PodDisruptionBudgets("").List),
			"clusterroles":           listing(w.clients.RbacV1().ClusterRoles().List),
			"resourceclaims":         listing(w.clients.ResourceV1().ResourceClaims("").List),
			"deviceclasses":          listing(w.clients.ResourceV1().DeviceClasses().List),
			"priorityclasses":        listing(w.clients.SchedulingV1().PriorityClasses().List),
			"csinodes":               listing(w.clients.StorageV1().CSINodes().List),
			"storageclasses":         listing(w.clients.StorageV1().StorageClasses().List),
		} {
			if err := list(w.ctx, metav1.ListOptions{}); err != nil {
				w.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"discovery, its caches and the version agree", func(w *world) {
		version, err := w.clients.Discovery().ServerVersion()
		w.must(err)
		w.same("major", version.Major, "1")
		_, lists, err := w.clients.Discovery().ServerGroupsAndResources()
		w.must(err)
		found := map[string]string{}
		for _, list := range lists {
			for _, resource := range list.APIResources {
				found[list.GroupVersion+"/"+resource.Name] = resource.Kind
			}
		}
		w.same("jobs", found["batch/v1/jobs"], "Job")
		w.same("bindings of pods", found["v1/pods/binding"], "Binding")
		w.same("leases", found["coordination.k8s.io/v1/leases"], "Lease")
		paths, err := w.clients.Discovery().OpenAPIV3().Paths()
		w.must(err)
		document, err := paths["apis/batch/v1"].Schema("application/json")
		w.must(err)
		w.same("a document", json.Valid(document), true)
	}},
}

// listing is a typed List without its answer.
func listing[T any](
	list func(context.Context, metav1.ListOptions) (T, error),
) func(context.Context, metav1.ListOptions) error {
	return func(ctx context.Context, options metav1.ListOptions) error {
		_, err := list(ctx, options)
		return err
	}
}

// warnings keeps what the server warned of.
type warnings struct{ texts []string }

func (w *warnings) HandleWarningHeader(code int, _ string, text string) {
	if code == 299 {
		w.texts = append(w.texts, text)
	}
}
