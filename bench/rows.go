package main

// Settings by data set, the same budget of steps for the three models. They were chosen on rows held out
// of the training rows of fold 1 (2000, 1500 and 3000 of them), never on the test rows printed here.
const (
	powerplantAll = "--steps 20000"

	eegGP   = "--steps 6000 --inducing 500"
	eegDRF  = "--steps 6000 --features 500"
	eegBoth = eegGP + " --latents 10"

	proteinGP   = "--steps 4000 --batch 512 --inducing 500"
	proteinDRF  = "--steps 4000 --batch 512 --features 500"
	proteinBoth = proteinGP + " --latents 16 --features 500"
)

// rows are the lines of docs/results.md.
func rows() []row {
	var all []row
	for fold := 1; fold <= 3; fold++ {
		all = append(all,
			row{set: "powerplant", fold: fold, model: "gpdrf", args: powerplantAll, paper: ".194"},
			row{set: "powerplant", fold: fold, model: "drf", args: powerplantAll, paper: ".201"},
			row{set: "powerplant", fold: fold, model: "gp", args: powerplantAll, paper: ".207"})
	}
	return append(all,
		row{set: "eeg", fold: 1, model: "gpdrf", args: eegBoth, paper: ".016"},
		row{set: "eeg", fold: 1, model: "drf", args: eegDRF, paper: ".106"},
		row{set: "eeg", fold: 1, model: "gp", args: eegGP, paper: ".114"},
		row{set: "protein", fold: 1, model: "gpdrf", args: proteinBoth, paper: ".652"},
		row{set: "protein", fold: 1, model: "drf", args: proteinDRF, paper: ".613"},
		row{set: "protein", fold: 1, model: "gp", args: proteinGP, paper: ".737"})
}
