package runner

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// patient is how long processes that were ended may take to be gone.
const patient = 3 * time.Second

// A family is the processes of one run, held by a job object. The job ends them
// when its last handle is closed, which the system does for a server that is
// killed.
type family struct {
	mu  sync.Mutex
	job windows.Handle // 0 when closed
	cmd *exec.Cmd
}

// launch starts cmd as the first process of a new family. It starts suspended:
// what it would start before it is in the job would not be in it either.
func launch(cmd *exec.Cmd, p program, _ *os.File, _ bool) (*family, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd.Env = environment(cmd.Dir, rand.Text())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       p.line,
		HideWindow:    true,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	if err := admit(job, cmd.Process.Pid); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return nil, err
	}
	return &family{job: job, cmd: cmd}, nil
}

// wait waits for the first process and gives its exit code.
func (f *family) wait() int {
	f.cmd.Wait()
	return exitCode(f.cmd.ProcessState)
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// admit puts a suspended process into the job and lets it run.
func admit(job windows.Handle, pid int) error {
	const rights = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_SUSPEND_RESUME
	handle, err := windows.OpenProcess(rights, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	if err := windows.AssignProcessToJobObject(job, handle); err != nil {
		return err
	}
	// ResumeThread would need the thread's handle, which os/exec does not keep.
	resume := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
	if err := resume.Find(); err != nil {
		return err
	}
	if status, _, _ := resume.Call(uintptr(handle)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// close gives the job up, which ends what may still be in it.
func (f *family) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.job != 0 {
		windows.CloseHandle(f.job)
		f.job = 0
	}
}

// observe has nothing to do: nobody leaves a job.
func (f *family) observe() {}

// members are the living processes of the family with their programs.
func (f *family) members() []Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []Process
	for _, pid := range f.pids() {
		list = append(list, Process{int(pid), image(uint32(pid))})
	}
	return list
}

// pids asks the job who is in it, with more room until all fit.
func (f *family) pids() []uintptr {
	if f.job == 0 {
		return nil
	}
	const header = 8 // two DWORD: assigned, listed
	for room := 64; room <= 1<<16; room *= 4 {
		buffer := make([]uintptr, header/unsafe.Sizeof(uintptr(0))+uintptr(room))
		err := windows.QueryInformationJobObject(f.job, windows.JobObjectBasicProcessIdList,
			uintptr(unsafe.Pointer(&buffer[0])), uint32(len(buffer))*uint32(unsafe.Sizeof(buffer[0])), nil)
		if errors.Is(err, windows.ERROR_MORE_DATA) {
			continue
		}
		if err != nil {
			return nil
		}
		listed := *(*uint32)(unsafe.Add(unsafe.Pointer(&buffer[0]), 4))
		return buffer[header/unsafe.Sizeof(uintptr(0)):][:listed]
	}
	return nil
}

// image is the path of the program of a process.
func image(pid uint32) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(handle)
	buffer := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(buffer))
	if err := windows.QueryFullProcessImageName(handle, 0, &buffer[0], &size); err != nil {
		return ""
	}
	return windows.UTF16ToString(buffer[:size])
}

// end ends every process of the family and returns when they are gone.
func (f *family) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.job == 0 {
		return
	}
	windows.TerminateJobObject(f.job, 1)
	for began := time.Now(); len(f.pids()) > 0 && time.Since(began) < patient; {
		time.Sleep(5 * time.Millisecond)
	}
}

func exitCode(state *os.ProcessState) int {
	if state == nil {
		return -1 // the system had no answer
	}
	return state.ExitCode()
}
