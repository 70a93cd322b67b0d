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
	c.table = tableOf(keys)
	return c
}

// of writes the column of each key into dst, −1 where it has none, and reports whether there is
// such a one.
func (c *columns) of(dst []int32, keys []uint64) (strays bool) {
	dst = dst[:len(keys)]
	all := int32(0)
	if c.dense != nil {
		for i, k := range keys {
			column := c.dense[k]
			dst[i] = column
			all |= column
		}
		return all < 0
	}
	c.table.findAll(dst, keys)
	for _, column := range dst {
		all |= column
	}
	return all < 0
}
