package columnar

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Columns of lists and structs have missing cells, and those after them keep theirs.
func TestListsOfParquet(t *testing.T) {
	type row struct {
		A   float64   `parquet:"a"`
		Emb []float64 `parquet:"emb,list"`
		At  struct {
			X, Y int64
		} `parquet:"at"`
		B string `parquet:"b"`
	}
	var file bytes.Buffer
	rows := []row{{A: 1, Emb: []float64{1, 2, 3}, B: "x"}, {A: 2, B: "y"}, {A: 3, Emb: []float64{4}, B: "z"}}
	must.OK(t, parquet.Write(&file, rows))
	got, err := all(file.Bytes())
	const want = `[["a" "emb" "at" "b"] ["1" "" "" "x"] ["2" "" "" "y"] ["3" "" "" "z"]]`
	if err != nil || fmt.Sprintf("%q", got) != want {
		t.Errorf("%q, %v", got, err)
	}
	r := must.Get(open(file.Bytes()))(t)
	c := r.Columns()
	must.Equal(t, []string{c[0].Unread, c[1].Unread, c[3].Unread}, []string{"", "LIST", ""})
	if c[2].Unread == "" {
		t.Error("the column of times is read")
	}
}

// A column of bytes or of durations is passed over in a stream of Arrow.
func TestBytesOfArrow(t *testing.T) {
	for column, kind := range map[int]byte{3: 4, 4: 18} { // the kinds of houses, in a dictionary, and their prices
		text := sample(t, "houses.arrows")
		m := must.Get((&arrowMessages{from: bytes.NewReader(text)}).next())(t)
		field := fbTable{m.header.Table}
		field.Pos = field.Indirect(m.header.elements(schemaFields, 4)[column])
		const before = 8 // bytes of the stream before its first description
		text[before+int(field.at(fieldType))] = kind
		got, err := all(text)
		if err != nil || len(got) != len(houses) {
			t.Fatalf("%q, %v", got, err)
		}
		for i, row := range got {
			want := slices.Clone(houses[i])
			if i > 0 {
				want[column] = ""
			}
			if !slices.Equal(row, want) {
				t.Errorf("row %d is %q, expected %q", i, row, want)
			}
		}
		if got := must.Get(open(text))(t).Columns()[column].Unread; got != arrowKinds[kind] {
			t.Errorf("the column is of type %q", got)
		}
	}
}

// halves is a type that package parquet writes by its bytes alone.
type halves struct{ parquet.Type }

func (halves) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

// FLOAT16 of Parquet are numbers. Other values of two bytes are none.
func TestHalvesOfParquet(t *testing.T) {
	type2 := parquet.FixedLenByteArrayType(2)
	schema := parquet.NewSchema("table", parquet.Group{"a": parquet.Leaf(parquet.DoubleType),
		"b": parquet.Optional(parquet.Leaf(halves{type2})), "c": parquet.Leaf(type2)})
	var file bytes.Buffer
	w := parquet.NewGenericWriter[any](&file, schema)
	for _, bits := range []string{"\x00\xbe", "\x01\x00", "\x00\x7e", ""} { // −1.5, the least, NaN, none
		half := parquet.NullValue().Level(0, 0, 1)
		if bits != "" {
			half = parquet.FixedLenByteArrayValue([]byte(bits)).Level(0, 1, 1)
		}
		row := parquet.Row{parquet.DoubleValue(2).Level(0, 0, 0), half,
			parquet.FixedLenByteArrayValue([]byte("id")).Level(0, 0, 2)}
		must.Get(w.WriteRows([]parquet.Row{row}))(t)
	}
	must.OK(t, w.Close())
	got, err := all(file.Bytes())
	const want = "[[a b c] [2 -1.5 ] [2 5.960464477539063e-08 ] [2  ] [2  ]]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, expected %s", got, err, want)
	}
}
