package seq

// blendedMap counts k-mers of all lengths up to k.
func blendedMap() Map {
	return Map{
		Name: "blended", Meaning: "k-mers of the lengths 1 … k", Example: "blended:4", Reversal: true,
		Parameters: []Parameter{{"k", 1, 31}},
		make: func(args []int, a *Alphabet) (extractor, *SpecError) {
			return newSpectra("blended", 1, args[0], a)
		},
	}
}
