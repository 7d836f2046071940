//go:build unix

package server

import (
	"context"
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// watch calls left when the other end of out is closed. A write would tell as well, but a call that runs a
// long check writes nothing, and a client that crashed must not leave the check behind.
func watch(ctx context.Context, out io.Writer, left func()) {
	file, ok := out.(syscall.Conn)
	if !ok {
		return
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	var wake [2]int
	if unix.Pipe(wake[:]) != nil {
		return
	}
	unix.CloseOnExec(wake[0])
	unix.CloseOnExec(wake[1])
	context.AfterFunc(ctx, func() { unix.Close(wake[1]) })
	go func() {
		defer unix.Close(wake[0])
		// An error of Control says that out is closed on this side: nothing to watch.
		_ = conn.Control(func(fd uintptr) {
			if hungUp(int32(fd), int32(wake[0])) {
				left()
			}
		})
	}()
}

// hungUp waits until the other end of fd is closed, or wake is.
func hungUp(fd, wake int32) bool {
	both := []unix.PollFd{{Fd: fd}, {Fd: wake}}
	for {
		if _, err := unix.Poll(both, -1); err != unix.EINTR {
			return both[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
}
