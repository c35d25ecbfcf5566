// Package running has the binary under test as a server, and what the suites share around it.
package running

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var readyLine = regexp.MustCompile(`ready: https://(127\.0\.0\.1:\d+)`)

// Server is `muster up` on a data directory of its own. The address stays the same over restarts.
type Server struct {
	muster, folder, address string

	mu      sync.Mutex
	process *exec.Cmd
}

// Start serves until the test ends, when the server must end in order. MUSTER is the path of the binary.
func Start(t *testing.T) *Server {
	t.Helper()
	muster := os.Getenv("MUSTER")
	if muster == "" {
		t.Fatal("MUSTER is not set: it is the path of the binary (see conformance/go/run)")
	}
	s := &Server{muster: muster, folder: t.TempDir(), address: "127.0.0.1:0"}
	if err := s.launch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the server wrote: %s", s.log())
		}
	})
	return s
}

// KillAndRestart ends the server without warning (SIGKILL) and starts it again on the same data and address.
func (s *Server) KillAndRestart() error {
	s.mu.Lock()
	process := s.process
	s.mu.Unlock()
	if err := process.Process.Kill(); err != nil {
		return fmt.Errorf("the server was gone before it was killed: %w: %s", err, s.log())
	}
	_ = process.Wait()
	return s.launch()
}

// Kubeconfig is the path of the administrator's.
func (s *Server) Kubeconfig() string { return filepath.Join(s.folder, "data", "kubeconfig") }

// Config lets the administrator in. The client does not hold itself back: the server has to.
func (s *Server) Config(t *testing.T) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = -1, -1
	return config
}

func (s *Server) launch() error {
	log, err := os.OpenFile(filepath.Join(s.folder, "server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	process := exec.Command(s.muster, "up", "--data-dir", filepath.Join(s.folder, "data"), "--listen", s.address,
		"--node", "none", "--controllers", "none")
	process.Stderr = log
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(output).ReadString('\n')
		line <- text
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var text string
	select {
	case text = <-line:
	case <-ctx.Done():
	}
	address := readyLine.FindStringSubmatch(text)
	if address == nil {
		_ = process.Process.Kill()
		return fmt.Errorf("the server did not get ready: %s%s", text, s.log())
	}
	s.address = address[1]
	s.mu.Lock()
	s.process = process
	s.mu.Unlock()
	return nil
}

func (s *Server) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the server was gone before its end: %w: %s", err, s.log())
	}
	ended := make(chan error, 1)
	go func() { ended <- s.process.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the server did not end in order: %w", err)
		}
		return nil
	case <-time.After(20 * time.Second):
		_ = s.process.Process.Kill()
		return errors.New("the server did not stop within 20 seconds")
	}
}

func (s *Server) log() string {
	text, _ := os.ReadFile(filepath.Join(s.folder, "server.log"))
	return strings.TrimSpace(string(text))
}
