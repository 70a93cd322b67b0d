package seq

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/didyoumean"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// CountTransform is the worth of a feature that occurs c times.
type CountTransform string

// The ways to count. Except for Tanimoto, vectors have unit length afterwards.
const (
	Raw      CountTransform = "raw"      // c
	Root     CountTransform = "sqrt"     // √c: the inner product is then a Bhattacharyya coefficient
	Log      CountTransform = "log"      // log(1+c)
	Presence CountTransform = "presence" // 1

	// Each occurrence, the first, the second and so on, is a separate feature, so that two graphs share the smaller of
	// two counts (histogram intersection, Swain & Ballard 1991).
	Min CountTransform = "min"
	// As Min, and graphs are compared by T = m/(a+b−m), where they share m occurrences of a and b (Ralaivola et al.
	// 2005). The squared distance is 2 − 2T.
	Tanimoto CountTransform = "tanimoto"
)

var (
	ways     = []string{string(Raw), string(Root), string(Log), string(Presence), string(Min), string(Tanimoto)}
	switches = []string{"tfidf", "fold", "rc", "linear"} // in the order of Term.switches
)

// modifiers returns the words that may follow a map's name.
func modifiers() []string { return slices.Concat(ways, switches) }

// Term is one feature map: `double:1,5/sqrt/tfidf`.
type Term struct {
	Map    string
	Args   []int
	Counts CountTransform
	TFIDF  bool // multiply by the logarithm of the inverse share of training sequences with the feature
	Fold   bool // read a–z as A–Z, for bytes
	// count a sequence and its reverse complement, which are one DNA molecule
	BothStrands bool
	Linear      bool // the kernel is the inner product itself, or T, not exp(−d²/2σ²)
}

// Spec is one or more feature maps, each of which gives a kernel: `double:1,5+spectrum:3`.
type Spec []Term

// String writes the term so that Parse reads it.
func (t Term) String() string {
	var b strings.Builder
	b.WriteString(t.Map)
	for i, a := range t.Args {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(strconv.Itoa(a))
	}
	if t.Counts != Raw {
		b.WriteString("/" + string(t.Counts))
	}
	for i, on := range t.switches() {
		if *on {
			b.WriteString("/" + switches[i])
		}
	}
	return b.String()
}

// switches returns what the words of switches turn on.
func (t *Term) switches() []*bool { return []*bool{&t.TFIDF, &t.Fold, &t.BothStrands, &t.Linear} }

// String writes the spec so that Parse reads it.
func (s Spec) String() string {
	words := make([]string, len(s))
	for i, t := range s {
		words[i] = t.String()
	}
	return strings.Join(words, "+")
}

// SpecError describes a fault of a spec, or of a spec for some data.
type SpecError struct{ Msg string }

func (e *SpecError) Error() string { return e.Msg }

func specErrorf(format string, args ...any) *SpecError {
	return &SpecError{fmt.Sprintf(format, args...)}
}

// Parse reads a spec: terms joined by +, each NAME:ARGS and then /MODIFIERs, as in
// `double:1,5/sqrt+spectrum:3/log/tfidf`. MapNames lists the names. An error is a *SpecError.
func Parse(text string) (Spec, error) {
	var spec Spec
	for _, word := range strings.Split(text, "+") {
		t, err := parseTerm(strings.TrimSpace(word))
		if err != nil {
			return nil, specErrorf("kernel %q: %s", text, err.Msg)
		}
		if slices.ContainsFunc(spec, func(u Term) bool { return u.String() == t.String() }) {
			return nil, specErrorf("kernel %q: %s is given twice: remove one", text, t)
		}
		spec = append(spec, t)
	}
	return spec, nil
}

func parseTerm(word string) (Term, *SpecError) {
	head, rest, _ := strings.Cut(word, "/")
	name, args, _ := strings.Cut(head, ":")
	t := Term{Map: name, Counts: Raw}
	m, ok := mapNamed(name)
	switch {
	case name == "":
		return t, specErrorf("a feature map is missing: write for example double:1,5+spectrum:3")
	case !ok:
		return t, specErrorf("there is no feature map %q%s", name, hint(name, MapNames()))
	}
	if err := t.parseArgs(m, args); err != nil {
		return t, err
	}
	if rest == "" && strings.HasSuffix(word, "/") {
		return t, specErrorf("%s: a word is missing after the /: use %s", word, strings.Join(modifiers(), ", "))
	}
	if err := t.parseModifiers(rest); err != nil {
		return t, err
	}
	if t.Counts == Tanimoto && t.TFIDF {
		return t, specErrorf("%s: /%s compares counts, which have no weights: leave out /tfidf", t.Map, Tanimoto)
	}
	return t, nil
}

func (t *Term) parseArgs(m Map, text string) *SpecError {
	var words []string
	if text != "" {
		words = strings.Split(text, ",")
	}
	if len(words) != len(m.Parameters) {
		return specErrorf("%s takes %s: write %s, for example %s", m.Name,
			phrase.Plural(len(m.Parameters), "number"), m.usage(), m.Example)
	}
	for i, p := range m.Parameters {
		v, err := strconv.Atoi(strings.TrimSpace(words[i]))
		if err != nil {
			return specErrorf("%s: %s must be a whole number and is %q: write %s, for example %s", m.Name,
				p.Name, words[i], m.usage(), m.Example)
		}
		if v < p.Min || v > p.Max {
			return specErrorf("%s: %s must be from %d to %d and is %d", m.Name, p.Name, p.Min, p.Max, v)
		}
		t.Args = append(t.Args, v)
	}
	if m.check != nil {
		return m.check(t.Args)
	}
	return nil
}

func (t *Term) parseModifiers(text string) *SpecError {
	if text == "" {
		return nil
	}
	counted := false
	for _, word := range strings.Split(text, "/") {
		if i := slices.Index(switches, word); i >= 0 {
			*t.switches()[i] = true
			continue
		}
		switch {
		case !slices.Contains(ways, word):
			return specErrorf("%s: %q is not a way to count%s", t.Map, word, hint(word, modifiers()))
		case counted:
			return specErrorf("%s: counts are given twice, as %s and %s", t.Map, t.Counts, word)
		}
		t.Counts = CountTransform(word)
		counted = true
	}
	return nil
}

// occurrences reports whether each occurrence of a feature is a separate feature.
func (t Term) occurrences() bool { return t.Counts == Min || t.Counts == Tanimoto }

// hint returns the nearest known word as a question, or the whole list if none is near.
func hint(word string, known []string) string {
	return cmp.Or(didyoumean.Hint(word, known), ": use one of "+strings.Join(known, ", "))
}
