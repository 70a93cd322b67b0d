package main

import (
	"fmt"
	"strings"
)

// effects writes the table of options: their scores on held-out training rows and, paired over the
// seeds, what they change.
func effects(b *strings.Builder, all found, words notes) {
	fmt.Fprintf(b, "\n## What each option does\n\n%s\n\n", words["What each option does"])
	fmt.Fprintf(b, "The base is `%s`,\nwith %d seeds. [Its commands](results/options.md) have a "+
		"page.\n\n", optionsBase, optionSeeds)
	b.WriteString("| option | | NLPD | change | RMSE | change | seconds |\n|---|---|---|---|---|---|---|\n")
	of := func(args string) ([]*record, bool) {
		var own []row
		for seed := 1; seed <= optionSeeds; seed++ {
			own = append(own, option{args: args}.row(seed))
		}
		return all.complete(own)
	}
	for _, o := range optionRuns() {
		name := "none"
		if o.args != "" {
			name = "`" + o.args + "`"
		}
		says := o.says
		if o.over != "" {
			says += ", compared with `" + o.over + "`"
		}
		records, ok := of(o.args)
		if !ok {
			fmt.Fprintf(b, "| %s | %s | not run yet | | | | |\n", name, says)
			continue
		}
		fmt.Fprintf(b, "| %s | %s |", name, says)
		base, hasBase := of(o.over)
		for _, key := range []string{"nlpd", "rmse"} {
			x := validated(records, key)
			change := ""
			if hasBase && o.args != o.over {
				change = signed(paired(x, validated(base, key)))
			}
			fmt.Fprintf(b, " %s | %s |", number(meanOf(x).value), change)
		}
		seconds := 0.0
		for _, m := range records {
			seconds += m.Seconds / float64(len(records))
		}
		fmt.Fprintf(b, " %.0f |\n", seconds)
	}
	fmt.Fprintf(b, "\n%s\n", words["What pays"])
}

// validated are the values of a score of the rows held out.
func validated(records []*record, key string) []float64 {
	out := make([]float64, len(records))
	for i, m := range records {
		out[i], _ = value(m.Validation, key)
	}
	return out
}
