package clients

import (
	"net/http"
	"path"
	"sync"

	"k8s.io/client-go/rest"
)

// traffic counts what informers ask for, by resource.
type traffic struct {
	mu                         sync.Mutex
	lists, watches, watchLists map[string]int
}

// of counts all that goes through the config from now on.
func (seen *traffic) of(config *rest.Config) *rest.Config {
	seen.lists, seen.watches, seen.watchLists = map[string]int{}, map[string]int{}, map[string]int{}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			seen.count(request)
			return next.RoundTrip(request)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (seen *traffic) count(request *http.Request) {
	if request.Method != http.MethodGet {
		return
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	resource, query := path.Base(request.URL.Path), request.URL.Query()
	switch {
	case query.Get("sendInitialEvents") == "true":
		seen.watchLists[resource]++
	case query.Has("watch"):
		seen.watches[resource]++
	default:
		seen.lists[resource]++
	}
}

func (seen *traffic) counts(resource string) (lists, watches, watchLists int) {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return seen.lists[resource], seen.watches[resource], seen.watchLists[resource]
}
