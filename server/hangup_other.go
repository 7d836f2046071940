//go:build !unix

package server

import (
	"context"
	"io"
)

// watch does nothing where a pipe can't be asked; the next write tells.
func watch(context.Context, io.Writer, func()) {}
