package types

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"muster/conformance/running"
)

// Clients that ask for protobuf alone get every legacy discovery document so, and read it with the generated types.
func TestDiscoveryInProtobufIsReadByTheGeneratedTypes(t *testing.T) {
	server := running.Start(t)
	config := rest.CopyConfig(server.Config(t))
	config.GroupVersion = &metav1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	var groups metav1.APIGroupList
	if err := client.Get().AbsPath("/apis").Do(context.Background()).Into(&groups); err != nil {
		t.Fatal(err)
	}
	paths := []string{"/api/v1"}
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			paths = append(paths, "/apis/"+version.GroupVersion)
		}
	}
	if len(paths) < 10 {
		t.Errorf("only %d versions are told", len(paths))
	}
	for _, path := range paths {
		var list metav1.APIResourceList
		if err := client.Get().AbsPath(path).Do(context.Background()).Into(&list); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(list.APIResources) == 0 {
			t.Errorf("%s has no resources", path)
		}
		for _, resource := range list.APIResources {
			if resource.Name == "" || resource.Kind == "" || len(resource.Verbs) == 0 {
				t.Errorf("%s: %+v", path, resource)
			}
		}
	}
}
