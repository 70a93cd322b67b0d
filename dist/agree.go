package dist

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Property has a value that all ranks must share, such as the version of the program.
type Property struct{ Name, Value string }

// RankError is the error that ends a job. It is the same on all ranks.
type RankError struct {
	Rank int
	Host string
	Text string
	Code int // exit code
}

func (e *RankError) Error() string {
	if e.Host == "" {
		return e.Text
	}
	return fmt.Sprintf("rank %d on %s: %s", e.Rank, e.Host, e.Text)
}

// usageCode is the exit code of ranks that disagree.
const usageCode = 2

// statement is the message of a rank to the others.
type statement struct {
	Host       string
	Properties []Property `json:"Facts"`
	Text       string     // text of an error; "" without one
	Code       int        // exit code of the error
}

// Exchange returns the texts of all ranks, in the order of the ranks. Each rank calls it with the text of this rank.
type Exchange func(mine []byte) (texts [][]byte, err error)

// Agree compares the properties of all ranks. text and code describe an error of this rank; without an error they are
// "" and 0. If a rank has an error, or other properties than rank 0, the error is the same *RankError on all ranks.
func Agree(exchange Exchange, properties []Property, text string, code int) error {
	host, _ := os.Hostname()
	mine, err := json.Marshal(statement{Host: host, Properties: properties, Text: text, Code: code})
	if err != nil {
		return err
	}
	texts, err := exchange(mine)
	if err != nil {
		return err
	}
	all := make([]statement, len(texts))
	for r, t := range texts {
		if err := json.Unmarshal(t, &all[r]); err != nil {
			return &RankError{Rank: r, Host: "an unknown machine", Text: "it runs another version of the program: " +
				"start the same one on all ranks", Code: usageCode}
		}
	}
	return firstMismatch(all)
}

// firstMismatch returns the error of a rank, or an error about a rank that differs from rank 0.
func firstMismatch(all []statement) error {
	for r, s := range all {
		if s.Text == "" {
			continue
		}
		e := &RankError{Rank: r, Host: s.Host, Text: s.Text, Code: s.Code}
		if !slices.ContainsFunc(all, func(other statement) bool { return other.Text != s.Text }) {
			e.Host = "" // all ranks have the same error
		}
		return e
	}
	for r, s := range all {
		for i, f := range all[0].Properties {
			if i < len(s.Properties) && s.Properties[i] == f {
				continue
			}
			other := "none"
			if i < len(s.Properties) {
				other = s.Properties[i].Value
			}
			return &RankError{Rank: r, Host: s.Host, Code: usageCode, Text: fmt.Sprintf(
				"its %s is %s, and that of rank 0 on %s is %s: all ranks need the same",
				f.Name, other, all[0].Host, f.Value)}
		}
	}
	return nil
}

// ExchangeOf returns an Exchange by the calls of a Comm.
func ExchangeOf(c Comm) Exchange {
	return func(mine []byte) ([][]byte, error) {
		lengths := make([]float64, c.Size())
		lengths[c.Rank()] = float64(len(mine))
		if err := c.AllReduce(lengths); err != nil {
			return nil, err
		}
		texts := make([][]byte, c.Size())
		for r := range texts {
			texts[r] = mine
			if r != c.Rank() {
				texts[r] = make([]byte, int(lengths[r]))
			}
			if err := c.Broadcast(texts[r], r); err != nil {
				return nil, err
			}
		}
		return texts, nil
	}
}
