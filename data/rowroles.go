package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// RowRoles are the columns that describe a row without being inputs, by their names or numbers from 1; "" for none.
type RowRoles struct {
	Weights string `json:"weights,omitempty"` // number of copies that a row counts as
	Group   string `json:"group,omitempty"`   // rows of a group stay together in every split
	Time    string `json:"time,omitempty"`    // splits train on the past and test on the future
	Offset  string `json:"offset,omitempty"`  // added to log rates of counts: the logarithm of an exposure
}

// rowRole is one of the RowRoles.
type rowRole struct {
	option, flag, column, purpose, does string
}

func (r RowRoles) all() []rowRole {
	return []rowRole{
		{"weights", asFlag("weights"), r.Weights, "that weights the rows", "weights the rows and is not an input"},
		{"group", asFlag("group"), r.Group, "that groups the rows",
			"groups the rows, which splits keep together, and is not an input"},
		{"time", asFlag("time"), r.Time, "of the times of the rows",
			"has the times of the rows, which split them, and is not an input"},
		{"offset", asKey("offset"), r.Offset, "that is added to log rates",
			"is added to log rates and is not an input"},
	}
}

// firstOption returns the name of the first role that is set, "" if none is.
func (r RowRoles) firstOption() string {
	for _, role := range r.all() {
		if role.column != "" {
			return role.option
		}
	}
	return ""
}

// roleColumn is the position of a role in the rows of a file.
type roleColumn struct {
	rowRole
	at int
	// The rows stand beside those of training: the role splits nothing, and may be missing.
	optional bool
}

// isMissing reports whether the cell means a missing value. A word that does so among numbers may name a group.
func (c roleColumn) isMissing(cell string) bool {
	return cellformat.IsMissing(cell) || c.option != "group" && cellformat.IsDoubtful(cell)
}

// addGroup adds the group of a row.
func (d *Dataset) addGroup(name string) {
	if d.groupOf == nil {
		d.groupOf = map[string]int32{}
	}
	id, known := d.groupOf[name]
	if !known {
		id = int32(len(d.groupOf))
		d.groupOf[strings.Clone(name)] = id
	}
	d.Groups = append(d.Groups, id)
}

// assignRoles finds the columns of the roles in a training file.
func (l *layout) assignRoles(rec *records, p *profile, ignored []int) (err error) {
	names := rec.columnNames()
	for _, role := range l.opt.Roles.all() {
		if role.column == "" || role.byScaffold(names) {
			continue
		}
		at, err := columnNamed(rec.name, role.column, names, role.purpose)
		if err != nil {
			return err
		}
		other := ""
		switch i := l.roleAt(at); {
		case i >= 0:
			other = l.roles[i].flag
		case slices.Contains(l.targets, at):
			other = "the target"
		case l.texts != nil && at == l.sequence:
			other = "the sequences"
		case at == l.id:
			other = asKey("id")
		case slices.Contains(ignored, at):
			other = "left out"
		case p.columns[at].isWords:
			other = asKey("text")
		}
		if other != "" {
			return rec.errorf("the column %s cannot be both %s and %s: name another", phrase.Quote(names[at]),
				role.flag, other)
		}
		role.column = names[at]
		l.note("column %s %s", phrase.Quote(role.column), role.does)
		if c := &p.columns[at]; role.option == "time" && c.isDates() && c.isText() {
			form, err := c.dateForm(rec, at, "name another column with "+role.flag)
			if err != nil {
				return err
			}
			l.timeForm = &form
		}
		l.roles = append(l.roles, roleColumn{rowRole: role, at: at})
	}
	return nil
}

// isWeight reports whether single precision can hold the weight, and the sum of many such weights.
func isWeight(w float64) bool { return w == 0 || w >= 1e-9 && w <= 1e9 }

// maxOffset bounds the logarithm of an exposure.
const maxOffset = 100

const areOffsets = "it is the logarithm of an exposure, within ±100"

const areWeights = "weights are 0, or from 1e-9 to 1e9"

// roleAt returns the number of the role that the column at a position has; −1 for none.
func (l *layout) roleAt(at int) int {
	return slices.IndexFunc(l.roles, func(c roleColumn) bool { return c.at == at })
}

func (l *layout) hasRole(option string) bool {
	return slices.ContainsFunc(l.roles, func(c roleColumn) bool { return c.option == option })
}

// rolesLike finds the columns of the roles in a file that is like the training file. place is the position of a column,
// −1 if the file lacks it. Predictions need offsets; weights serve for scores against targets. Weights, groups and
// times that the options request are those of a file to train on. Groups and times of rows beside the training rows are
// compared.
func (l *layout) rolesLike(rec *records, like *Schema, place func(column string) int) error {
	roles := like.Roles
	requested := l.opt.Roles
	beside := l.opt.TrainRows != nil
	if !beside {
		roles.Group, roles.Time = requested.Group, requested.Time
	}
	roles.Weights = cmp.Or(requested.Weights, roles.Weights)
	if d := like.dates()[roles.Time]; d != nil && d.Form != cellformat.Clock { // an input may tell the time, too
		l.timeForm = &d.Form
	} else if roles.Time == like.Roles.Time {
		l.timeForm = like.TimeForm
	}
	for _, role := range roles.all() {
		if role.column == "" || role.byScaffold(rec.columnNames()) {
			continue
		}
		optional := beside && (role.option == "group" || role.option == "time")
		at := place(role.column)
		if at < 0 && !optional && (role.option != "weights" || requested.Weights != "") {
			return missingColumn(rec, role.column, "it "+role.does)
		}
		if at >= 0 {
			l.roles = append(l.roles, roleColumn{role, at, optional})
		}
	}
	return nil
}

func (l *layout) isWeightless(rec *records) bool {
	i := slices.IndexFunc(l.roles, func(c roleColumn) bool { return c.option == "weights" })
	if i < 0 {
		return false
	}
	v, err := rec.dialect.number(strings.TrimSpace(rec.row[l.roles[i].at]))
	return err == nil && v == 0
}

// checkRoles refuses a value of the current row that its role cannot have.
func (l *layout) checkRoles(rec *records) error {
	for _, c := range l.roles {
		cell := strings.TrimSpace(rec.row[c.at])
		if c.optional {
			continue
		}
		if c.isMissing(cell) {
			return rec.missingCell(c.at, fmt.Sprintf("each row needs its %s: fill it in or remove the row", c.option))
		}
		switch v, err := l.roleValue(rec, c); {
		case err != nil:
			return err
		case c.option == "offset" && math.Abs(v) > maxOffset:
			return rec.cellError(c.at, "found the offset %s in column %s: %s", phrase.Quote(cell),
				phrase.Quote(c.column), areOffsets)
		case c.option == "weights" && !isWeight(v):
			return rec.cellError(c.at, "found the weight %s in column %s: %s", phrase.Quote(cell),
				phrase.Quote(c.column), areWeights)
		}
	}
	return nil
}

// roleValue reads the number of a role in the current row; 0 for a group.
func (l *layout) roleValue(rec *records, c roleColumn) (float64, error) {
	if c.option == "group" {
		return 0, nil
	}
	if c.option == "time" && l.timeForm != nil {
		seconds, ok := cellformat.ParseTime(*l.timeForm, rec.dialect.point(strings.TrimSpace(rec.row[c.at])))
		if !ok {
			return 0, rec.found(c.at, ", which is not a date, as others of it are: correct it")
		}
		return seconds, nil
	}
	return rec.value(c.at, "correct it, or name another column with "+c.flag)
}

// addRoles keeps the roles of the current row, which checkRoles has accepted.
func (l *layout) addRoles(rec *records, to *Dataset) {
	for _, c := range l.roles {
		v, err := l.roleValue(rec, c)
		if err != nil { // only an optional role can fail
			v = math.NaN()
		}
		switch c.option {
		case "group":
			to.addGroup(strings.TrimSpace(rec.row[c.at]))
		case "weights":
			to.Weights = append(to.Weights, v)
		case "time":
			to.Times = append(to.Times, v)
		case "offset":
			to.Offset = append(to.Offset, v)
		}
	}
}

// checkSplitRoles refuses groups and times of training rows together. names are the names of their columns.
func (d *Dataset) checkSplitRoles(file string, names RowRoles) error {
	if d.Groups != nil && d.Times != nil {
		return errorf(file, "cannot be split by the groups %s and by the times %s together: give %s or %s",
			phrase.Quote(names.Group), phrase.Quote(names.Time), asFlag("group"), asFlag("time"))
	}
	return nil
}

// checkSeparable refuses rows that are all of one group, or of one time, since no split can separate them.
func (d *Dataset) checkSeparable() error {
	if d.Groups != nil && slices.Min(d.Groups) == slices.Max(d.Groups) ||
		d.Times != nil && slices.Min(d.Times) == slices.Max(d.Times) {
		return errorf(d.Path, "all rows are one group, or have one time, by %s, so no split can separate them: name "+
			"another column, or none", phrase.Quote(cmp.Or(d.schema.Roles.Group, d.schema.Roles.Time)))
	}
	return nil
}

// checkFacts refuses invalid values, weights, times and offsets of rows in memory.
func (r Rows) checkFacts() error {
	within := func(most float64) func(v float64) bool { return func(v float64) bool { return math.Abs(v) <= most } }
	areFinite := fmt.Sprintf("only finite numbers within ±%g can be used", maxMagnitude)
	for _, fact := range []struct {
		name   string
		values []float64
		sound  func(v float64) bool
		rule   string
	}{
		{"value", r.Values, within(maxMagnitude), areFinite}, {"weight", r.Weights, isWeight, areWeights},
		{"time", r.Times, within(maxMagnitude), areFinite}, {"offset", r.Offset, within(maxOffset), areOffsets},
	} {
		for i, v := range fact.values {
			if !fact.sound(v) {
				return rowErrorf(i, ": the %s is %g: %s", fact.name, v, fact.rule)
			}
		}
	}
	return nil
}

// setFacts takes the weights, groups, times and offsets of rows in memory. The names of their columns are those of the
// options.
func (d *Dataset) setFacts(r Rows) {
	d.Weights, d.Offset, d.Times = slices.Clone(r.Weights), slices.Clone(r.Offset), slices.Clone(r.Times)
	roles := &d.schema.Roles
	if r.Weights != nil {
		roles.Weights = "weights"
	}
	if r.Times != nil {
		roles.Time = "time"
	}
	if r.Offset != nil {
		roles.Offset = "offset"
	}
	for _, name := range r.Groups {
		roles.Group = "group"
		d.addGroup(name)
	}
}

// BalancedClassWeights returns W/(K W_c) for the K classes that have rows. W_c is the sum of the weights of a class,
// and W the sum of all weights. With them, each class has the same share of W.
func (d *Dataset) BalancedClassWeights() []float64 {
	sums := make([]float64, len(d.Classes))
	classes := 0.0
	total := 0.0
	for i, label := range d.Labels {
		w := 1.0
		if d.Weights != nil {
			w = d.Weights[i]
		}
		sums[label] += w
		total += w
	}
	for _, sum := range sums {
		if sum > 0 {
			classes++
		}
	}
	for c, sum := range sums {
		if sum > 0 {
			sums[c] = total / (classes * sum)
		}
	}
	return sums
}

// WithClassWeights returns the data set with the weight of each row multiplied by the factor of its class; nil for nil.
func (d *Dataset) WithClassWeights(classes []float64) *Dataset {
	if d == nil {
		return nil
	}
	out := *d
	out.Weights = slices.Clone(d.Weights)
	if out.Weights == nil {
		out.Weights = slices.Repeat([]float64{1}, d.N())
	}
	for i, label := range d.Labels {
		out.Weights[i] *= classes[label]
	}
	return &out
}
