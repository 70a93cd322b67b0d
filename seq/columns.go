package seq

// columns are the places of keys in ascending order.
type columns struct {
	width int
	dense []int32 // by key, −1 where it has none; where all keys are below a small number

	table *table
}

// newColumns is for ascending keys below space; 0: below no small number.
func newColumns(keys []uint64, space uint64) *columns {
	c := &columns{width: len(keys)}
	if space > 0 && space <= denseSpace {
		c.dense = make([]int32, space)
		for k := range c.dense {
			c.dense[k] = -1
		}
		for i, k := range keys {
			c.dense[k] = int32(i)
		}
		return c
	}
	c.table = newTable()
	for _, k := range keys {
		c.table.put(k)
	}
	return c
}

// of writes the column of each key into dst, −1 where it has none.
func (c *columns) of(dst []int32, keys []uint64) []int32 {
	dst = dst[:0]
	if c.dense != nil {
		for _, k := range keys {
			dst = append(dst, c.dense[k])
		}
		return dst
	}
	for _, k := range keys {
		dst = append(dst, int32(c.table.find(k)))
	}
	return dst
}
