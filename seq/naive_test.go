package seq

import (
	"fmt"
	"math"
	"strings"
)

// bag is a feature vector by the names of its features.
type bag map[string]float64

// each puts the occurrences of every feature in its place, by their numbers.
func (b bag) each() bag {
	all := bag{}
	for name, times := range b {
		for i := range int(times) {
			all[fmt.Sprint(name, " ", i)] = 1
		}
	}
	return all
}

func known(window []int32) bool {
	for _, c := range window {
		if c == Unknown {
			return false
		}
	}
	return true
}

// naive defines each map by the plainest loops.
func naive(name string) func(x []int32, args []int, a *Alphabet) bag {
	return map[string]func(x []int32, args []int, a *Alphabet) bag{
		"double": func(x []int32, args []int, _ *Alphabet) bag {
			b, k, d := bag{}, args[0], args[1]
			for i := range x {
				for j := 1; j <= d; j++ {
					to := i + k - 1 + j
					if to+k <= len(x) && known(x[i:i+k]) && known(x[to:to+k]) {
						b[fmt.Sprint(x[i:i+k], j, x[to:to+k])]++
					}
				}
			}
			return b
		},
		"triple": func(x []int32, args []int, _ *Alphabet) bag {
			b, k, d := bag{}, args[0], args[1]
			for i := range x {
				for j := 1; j <= d; j++ {
					for l := 1; l <= d; l++ {
						two := i + k - 1 + j
						three := two + k - 1 + l
						if three+k <= len(x) && known(x[i:i+k]) && known(x[two:two+k]) && known(x[three:three+k]) {
							b[fmt.Sprint(x[i:i+k], j, x[two:two+k], l, x[three:three+k])]++
						}
					}
				}
			}
			return b
		},
		"spectrum": func(x []int32, args []int, _ *Alphabet) bag { return kmers(x, args[0], args[0]) },
		"blended":  func(x []int32, args []int, _ *Alphabet) bag { return kmers(x, 1, args[0]) },
		"gapped": func(x []int32, args []int, _ *Alphabet) bag {
			b, g, m := bag{}, args[0], args[1]
			for i := 0; i+g <= len(x); i++ {
				for mask := range 1 << g {
					word, kept, ok := "", 0, true
					for p := range g {
						if mask>>p&1 == 1 {
							word, kept, ok = word+fmt.Sprint(" ", x[i+p]), kept+1, ok && x[i+p] != Unknown
						} else {
							word += " *"
						}
					}
					if kept == g-m && ok {
						b[word]++
					}
				}
			}
			return b
		},
		"mismatch": func(x []int32, args []int, a *Alphabet) bag {
			b, k, m := bag{}, args[0], args[1]
			all := []string{""}
			letter := func(c int) string { return string(rune('A' + c)) }
			for range k {
				var longer []string
				for _, w := range all {
					for c := range a.Letters {
						longer = append(longer, w+letter(c))
					}
				}
				all = longer
			}
			for i := 0; i+k <= len(x); i++ {
				if !known(x[i : i+k]) {
					continue
				}
				for _, w := range all {
					differ := 0
					for p := range k {
						if []rune(w)[p] != rune('A'+x[i+p]) {
							differ++
						}
					}
					if differ <= m {
						b[w]++
					}
				}
			}
			return b
		},
		"degree": func(x []int32, args []int, _ *Alphabet) bag {
			b, d := bag{}, args[0]
			for k := 1; k <= d; k++ {
				for i := 0; i+k <= len(x); i++ {
					if known(x[i : i+k]) {
						b[fmt.Sprint(i, x[i:i+k])] = math.Sqrt(2 * float64(d-k+1) / float64(d*(d+1)))
					}
				}
			}
			return b
		},
		"placed": func(x []int32, args []int, _ *Alphabet) bag {
			b, k, s := bag{}, args[0], args[1]
			for i := 0; i+k <= len(x); i++ {
				for place := i - s; place <= i+s; place++ {
					if known(x[i : i+k]) {
						b[fmt.Sprint(place, x[i:i+k])]++
					}
				}
			}
			return b
		},
		"intersection": func(x []int32, args []int, _ *Alphabet) bag {
			b := bag{}
			for word, count := range kmers(x, 1, args[0]) {
				for n := range int(count) {
					b[fmt.Sprint(word, n)] = 1
				}
			}
			return b
		},
		"words": func(x []int32, args []int, a *Alphabet) bag {
			b := bag{}
			if a.Kind == Words {
				return kmers(x, 1, args[0])
			}
			words := strings.FieldsFunc(strings.ToLower(a.Text(x)), func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0x80)
			})
			for i := range words {
				for n := 1; n <= args[0] && i+n <= len(words); n++ {
					b[strings.Join(words[i:i+n], " ")]++
				}
			}
			return b
		},
	}[name]
}

func kmers(x []int32, from, to int) bag {
	b := bag{}
	for k := from; k <= to; k++ {
		for i := 0; i+k <= len(x); i++ {
			if known(x[i : i+k]) {
				b[fmt.Sprint(x[i:i+k])]++
			}
		}
	}
	return b
}

// unit counts as a term says and scales to unit length. rows holds the number of training sequences with each feature.
func (b bag) unit(t Term, rows map[string]int, n int) bag {
	u, square := bag{}, 0.0
	for f, c := range b {
		v := c
		switch {
		case t.Map == "degree": // counts are 1 times a weight
			one := map[CountTransform]float64{Raw: 1, Root: 1, Presence: 1, Log: math.Log(2)}
			v = c * one[t.Counts]
		case t.Counts == Root:
			v = math.Sqrt(c)
		case t.Counts == Log:
			v = math.Log(1 + c)
		case t.Counts == Presence:
			v = 1
		}
		if t.TFIDF {
			v *= math.Log(float64(1+n)/float64(1+rows[f])) + 1
		}
		u[f] = v
		square += v * v
	}
	for f := range u {
		u[f] /= math.Sqrt(square)
	}
	return u
}

func (b bag) dot(c bag) (sum float64) {
	for f, v := range b {
		sum += v * c[f]
	}
	return sum
}

// emptyRows counts the zero vectors.
func emptyRows(r *SparseRows) (count int) {
	for _, s := range r.Square {
		if s == 0 {
			count++
		}
	}
	return count
}

// someRows copies the given rows.
func someRows(r *SparseRows, rows ...int) *SparseRows {
	s := &SparseRows{Width: r.Width, Start: []int{0}}
	for _, i := range rows {
		columns, values := r.row(i)
		s.Column, s.Value = append(s.Column, columns...), append(s.Value, values...)
		s.Start, s.Square = append(s.Start, len(s.Value)), append(s.Square, r.Square[i])
	}
	return s
}
