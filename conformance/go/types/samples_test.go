// Package types decodes what the server's codecs write with Kubernetes' own generated types: objects of every declared
// kind, and discovery.
package types

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/client-go/kubernetes/scheme"
)

// sample is one line that the program api_samples prints.
type sample struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Object     json.RawMessage `json:"object"`
	Protobuf   []byte          `json:"protobuf"`
}

type message interface{ Unmarshal(bytes []byte) error }

// withoutForm are kinds that Kubernetes has no protobuf form for.
var withoutForm = map[string]bool{"Table": true}

func newScheme(t *testing.T) *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(all); err != nil {
			t.Fatal(err)
		}
	}
	metav1.AddToGroupVersion(all, schema.GroupVersion{Version: "v1"})
	return all
}

// make2 gives two empty objects of the kind: one for each form.
func make2(all *runtime.Scheme, of sample) (fromJSON, fromProtobuf runtime.Object, err error) {
	kind := schema.FromAPIVersionAndKind(of.APIVersion, of.Kind)
	if fromJSON, err = all.New(kind); err != nil {
		return nil, nil, err
	}
	fromProtobuf, err = all.New(kind)
	return fromJSON, fromProtobuf, err
}

func check(all *runtime.Scheme, of sample) error {
	fromJSON, fromProtobuf, err := make2(all, of)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(of.Object, fromJSON); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	bytes, ok := fromProtobuf.(message)
	if !ok {
		return fmt.Errorf("%T has no protobuf form", fromProtobuf)
	}
	if err := bytes.Unmarshal(of.Protobuf); err != nil {
		return fmt.Errorf("protobuf: %w", err)
	}
	// The kind stands in the envelope, not in the message.
	fromJSON.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	if !equality.Semantic.DeepEqual(fromJSON, fromProtobuf) {
		return fmt.Errorf("the two forms differ: %s", diff.Diff(fromJSON, fromProtobuf))
	}
	return nil
}

func TestEveryDeclaredKindIsReadByTheGeneratedTypes(t *testing.T) {
	program := os.Getenv("API_SAMPLES")
	if program == "" {
		t.Skip("API_SAMPLES does not name the program that prints samples")
	}
	command := exec.Command(program)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	all := newScheme(t)
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 64<<20)
	checked := map[string]int{}
	for lines.Scan() {
		var of sample
		if err := json.Unmarshal(lines.Bytes(), &of); err != nil {
			t.Fatal(err)
		}
		if withoutForm[of.Kind] {
			continue
		}
		checked[of.APIVersion+" "+of.Kind]++
		if err := check(all, of); err != nil {
			t.Errorf("%s %s: %v", of.APIVersion, of.Kind, err)
		}
	}
	if err := command.Wait(); err != nil || lines.Err() != nil {
		t.Fatal(err, lines.Err())
	}
	if len(checked) < 30 {
		t.Errorf("only %d kinds were printed", len(checked))
	}
	t.Logf("%d kinds", len(checked))
}
