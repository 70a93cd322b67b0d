package hostmem

import (
	"os"
	"path"
	"strings"
)

// Available returns the number of bytes that can still be allocated: the memory that Linux calls available, or the rest
// of this process's control group, if that is less. It changes at any time.
func Available() (bytes int64, known bool) {
	meminfo, _ := os.ReadFile("/proc/meminfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	return available(string(meminfo), groups(string(own), func(name string) string {
		text, _ := os.ReadFile(name)
		return string(text)
	}))
}

// groups returns the control groups that a process is in, version 2 or 1, and the groups above them.
func groups(own string, read func(name string) string) (all []group) {
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // 0::/a/b or 4:memory:/a/b
		if len(parts) < 3 {
			continue
		}
		root, limit, usage := "/sys/fs/cgroup", "memory.max", "memory.current"
		if parts[1] != "" {
			if !strings.Contains(parts[1], "memory") {
				continue
			}
			root, limit, usage = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			all = append(all, group{read(path.Join(root, at, limit)), read(path.Join(root, at, usage)),
				read(path.Join(root, at, "memory.stat"))})
			if at == "/" {
				break
			}
		}
	}
	return all
}
