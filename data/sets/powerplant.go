package sets

import (
	_ "embed" // the power plant table
	"encoding/json"
)

// The table of the UCI set "Combined Cycle Power Plant" as it is, and the rows of it
// that are the test rows of each fold. Credits: powerplant/NOTICE.
var (
	//go:embed powerplant/CCPP.csv.gz
	powerplantTable string
	//go:embed powerplant/folds.json
	powerplantFolds string
)

// Powerplant is the embedded table, a CSV file packed by gzip.
func Powerplant() string { return powerplantTable }

// PowerplantTestRows are the numbers, from 0, of the rows of the embedded table that a fold, from
// 1, is tested on.
func PowerplantTestRows(fold int) []int {
	var file struct {
		Folds [][]int `json:"folds"`
	}
	if err := json.Unmarshal([]byte(powerplantFolds), &file); err != nil {
		panic("sets: embedded folds: " + err.Error())
	}
	return file.Folds[fold-1]
}
