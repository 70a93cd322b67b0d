package hostmem

import "testing"

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal:       200 kB\nMemFree:         1 kB\nMemAvailable:   100 kB\n"
	for name, c := range map[string]struct {
		meminfo string
		groups  []group
		want    int64
		known   bool
	}{
		"machine":       {meminfo, nil, 100 << 10, true},
		"no limit":      {meminfo, []group{{"max\n", "5\n", ""}}, 100 << 10, true},
		"a tight group": {meminfo, []group{{"5000\n", "1000\n", ""}, {"max", "9", ""}}, 4000, true},
		"files in it":   {meminfo, []group{{"5000\n", "3000\n", "anon 3\ninactive_file 1500\n"}}, 3500, true},
		"files below": {meminfo, []group{{"5000", "4900", "inactive_file 0\ntotal_inactive_file 4000\n"}},
			4100, true},
		"beyond a limit": {meminfo, []group{{"5000", "6000", ""}}, 0, true},
		"unknown group":  {meminfo, []group{{"", "", ""}}, 100 << 10, true},
	} {
		if got, known := available(c.meminfo, c.groups); got != c.want || known != c.known {
			t.Errorf("%s: %d, %v, want %d", name, got, known, c.want)
		}
	}
	if _, known := available("", nil); known {
		t.Error("nothing is known of a machine that says nothing")
	}
}
