package running

import (
	"testing"
	"time"
)

// Eventually asks until there is no complaint, and fails with the last one after the given time.
func Eventually(t *testing.T, within time.Duration, complaint func() string) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		text := complaint()
		if text == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v: %s", within, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Insist does it again until it works: what a client does that lost its connection to a crash.
func Insist(t *testing.T, do func() error) {
	t.Helper()
	Eventually(t, 20*time.Second, func() string {
		if err := do(); err != nil {
			return err.Error()
		}
		return ""
	})
}
