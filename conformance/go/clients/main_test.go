package clients

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	// The libraries log what a crash of the server looks like to them.
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}
