package columnar

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// A Parquet file of any length is written and read in as little memory.
func TestMemory(t *testing.T) {
	const most = 24 << 20
	short, long := heapOfParquet(t, 1<<17), heapOfParquet(t, 1<<20)
	t.Logf("at most %.1f MB with 2^17 rows, %.1f MB with 2^20 rows", float64(short)/1e6, float64(long)/1e6)
	if short > most || long > most || long > short+most/4 {
		t.Errorf("ten columns take %d bytes with 2^17 rows and %d with 2^20, expected about as much, and at most %d",
			short, long, most)
	}
}

// heapOfParquet measures the most live memory while rows of random numbers are written, and then read.
func heapOfParquet(t *testing.T, rows int) (most uint64) {
	var columns []tablefile.Column
	for c := range 10 {
		columns = append(columns, tablefile.Column{Name: string(rune('a' + c))})
	}
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "rows.parquet")))(t)
	defer file.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC() // twice empties the pools
	before := heap()
	look := func(row int) {
		if row%(1<<16) == 1<<15 {
			most = max(most, heap()-before)
		}
	}
	to := bufio.NewWriter(file)
	w := must.Get(newParquet(to, columns))(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for row := range rows {
		for range columns {
			w.Number(rng.NormFloat64())
		}
		must.OK(t, w.EndRow())
		look(row)
	}
	must.OK(t, w.Close())
	must.OK(t, to.Flush())
	info := must.Get(file.Stat())(t)
	r := must.Get(openParquet(file, info.Size()))(t)
	row := 0
	var err error
	for ; err == nil; row++ {
		_, err = r.Read()
		look(row)
	}
	if row--; err != io.EOF || row != rows {
		t.Fatalf("%d rows were read, expected %d: %v", row, rows, err)
	}
	return most
}
