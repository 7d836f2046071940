package server

import (
	"context"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/resources"
)

// subscriptions remember who wants to hear of which resource. The stdio session of mcp-go does not, and its
// own sending can't put the subscription id into _meta, as revision 2026-07-28 demands.
type subscriptions struct {
	mu   sync.Mutex
	open []subscription
}

// A subscription is one subscriptions/listen stream, or, with a nil id, all that a client of the older
// revisions subscribed to.
type subscription struct {
	session server.ClientSession
	id      any
	uris    []string
}

func newSubscriptions(h *server.Hooks) *subscriptions {
	s := &subscriptions{}
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
}

func (s *subscriptions) drop(which func(subscription) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, which)
}

// changed tells every subscriber of one of the uris. A client that does not read its notifications misses
// some; it is never waited for.
func (s *subscriptions) changed(uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
