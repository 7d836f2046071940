package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/resources"
)

// subscriptions remember who wants to hear of which resource. The stdio session of mcp-go does not, and its
// own sending can't put the subscription id into _meta, as revision 2026-07-28 demands.
type subscriptions struct {
	marks func() map[string]string // what each resource looks like from outside

	mu       sync.Mutex
	open     []subscription
	seen     map[string]string // the marks when the subscribers were last told
	watching bool
}

// lookEvery is how often the files are looked at for changes of other processes, while somebody has subscribed.
const lookEvery = time.Second

// A subscription is one subscriptions/listen stream, or, with a nil id, all that a client of the older
// revisions subscribed to.
type subscription struct {
	session server.ClientSession
	id      any
	uris    []string
}

func newSubscriptions(h *server.Hooks, marks func() map[string]string) *subscriptions {
	s := &subscriptions{marks: marks}
	h.AddAfterSubscribe(func(ctx context.Context, _ any, r *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		s.add(subscription{session: server.ClientSessionFromContext(ctx), uris: []string{r.Params.URI}})
	})
	h.AddAfterUnsubscribe(func(ctx context.Context, _ any, r *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		session := server.ClientSessionFromContext(ctx)
		s.drop(func(o subscription) bool {
			return o.session == session && o.id == nil && resources.Same(o.uris[0], r.Params.URI)
		})
	})
	h.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, r *mcp.SubscriptionsListenRequest) {
		uris := slices.Clone(r.Params.Notifications.ResourceSubscriptions)
		s.add(subscription{session: server.ClientSessionFromContext(ctx), id: id, uris: uris})
	})
	h.AddAfterSubscriptionsListen(func(ctx context.Context, id any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		session := server.ClientSessionFromContext(ctx)
		s.drop(func(o subscription) bool { return o.session == session && o.id == id })
	})
	h.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) {
		s.drop(func(o subscription) bool { return o.session == session })
	})
	return s
}

func (s *subscriptions) add(o subscription) {
	if o.session == nil || len(o.uris) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(old subscription) bool {
		return old.session == o.session && old.id == nil && o.id == nil && resources.Same(old.uris[0], o.uris[0])
	})
	s.open = append(s.open, o)
	if !s.watching {
		s.watching, s.seen = true, s.marks()
		go s.watch()
	}
}

// watch tells the subscribers of what other processes change. It ends with the last subscription.
func (s *subscriptions) watch() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for range look.C {
		if !s.look() {
			return
		}
	}
}

func (s *subscriptions) look() (watching bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 {
		s.watching = false
		return false
	}
	now := s.marks()
	var uris []string
	for uri, mark := range now {
		if s.seen[uri] != mark {
			uris = append(uris, uri)
		}
	}
	s.seen = now
	s.tell(uris)
	return true
}

func (s *subscriptions) drop(which func(subscription) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, which)
}

// changed tells of what this process changed. The next look does not tell of it again.
func (s *subscriptions) changed(uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watching {
		now := s.marks()
		for _, uri := range uris {
			if mark, ok := now[uri]; ok && s.seen != nil {
				s.seen[uri] = mark
			}
		}
	}
	s.tell(uris)
}

// tell tells every subscriber of one of the uris. A client that does not read its notifications misses some; it is
// never waited for.
func (s *subscriptions) tell(uris []string) {
	for _, o := range s.open {
		for _, wanted := range o.uris {
			if !slices.ContainsFunc(uris, func(uri string) bool { return resources.Touches(uri, wanted) }) {
				continue
			}
			select {
			case o.session.NotificationChannel() <- o.updated(wanted):
			default:
			}
		}
	}
}

func (o subscription) updated(uri string) mcp.JSONRPCNotification {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method = mcp.MethodNotificationResourceUpdated
	n.Params.AdditionalFields = map[string]any{"uri": uri}
	if o.id != nil {
		n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: o.id}
	}
	return n
}
