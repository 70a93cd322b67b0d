package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/cli.md and the expected output of the scripts anew")

func TestCLIDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "cli.md")
	want := (&program{}).markdown()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/cli.md is not what the program says of itself: go test ./cmd/gpdrf-gpu -run CLIDocs -update")
	}
}

// markdown is docs/cli.md.
func (p *program) markdown() string {
	var b strings.Builder
	b.WriteString("# The command line\n\nWritten by `go test ./cmd/gpdrf-gpu -run CLIDocs -update` from the program's own help.\n\n")
	b.WriteString("    gpdrf-gpu COMMAND [flags] [argument]\n\nFlags may stand before and after the argument; after `--` nothing is a flag. A switch is written `--name=true` or `--name=false`; `--name` alone is true.\n\n")
	b.WriteString("Exit codes: 0; 2 for bad input or usage; 1 for a failure; 130 after Ctrl-C, which saves the model so far. `train --resume` on a run that has ended says so, with 0.\n")
	for _, v := range p.verbs() {
		fmt.Fprintf(&b, "\n## gpdrf-gpu %s\n\n    gpdrf-gpu %s\n\n%s\n\n", v.name, v.synopsis(), wrap(v.about, "", helpWidth))
		for _, e := range v.examples {
			fmt.Fprintf(&b, "    %s\n", e.command)
		}
		v.eachGroup(func(group string, flags []flagSpec) {
			fmt.Fprintf(&b, "\n**%s**\n\n| flag | meaning | default |\n|---|---|---|\n", group)
			for _, f := range flags {
				meaning := f.help
				if f.models != "" {
					meaning += " (for " + f.models + ")"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", escape(f.synopsis()), escape(meaning), escape(f.otherwise))
			}
		})
	}
	b.WriteString(markdownTail)
	return b.String()
}

func escape(cell string) string { return strings.ReplaceAll(cell, "|", `\|`) }

// markdownTail is the part of docs/cli.md that is not made from flags.
const markdownTail = `
## Config files

` + "`train --config FILE.yaml`" + ` reads options from a file: one line ` + "`key: value`" + ` for each, where the key is the flag without its dashes. An unknown or
repeated key, a value of the wrong type and a word that is not one of the option's values are errors with file, line and column. Flags
beat the file, the file beats the preset, the preset beats the defaults. How long to train (steps, epochs or time-limit) may be
said in one way on each of these levels; the highest level that says it counts. Paths, in a file as in a flag, are relative to the folder the
command runs in.

A run's config.yaml holds every option that its model has, as it was in the end: steps instead of epochs or a time limit (` + "`planned-for`" + `
keeps what they were worked out from), the device, task, target and scaling that auto became, the folder of a named set, and sizes that
shrank to fit the data.
After Ctrl-C, ` + "`stop-after`" + ` says how far the run of that many steps came. ` + "`train --config`" + ` on it repeats the run bit for bit.

## Presets

- ` + "`default`" + `: what trains well in little time: diagonal q, one kernel for all latent functions, local reparameterisation, Adam with warm-up and cosine decay.
- ` + "`paper`" + `: the section Implementation Details of Laradji et al. (2019): Adam 1e-5, coupled L2 penalty 5e-4, one row a step, 1000 epochs, 200 pseudo-inputs,
  100 samples; full q in the paper's (not whitened) form, ARD kernels, sampled weights, VAR-RESAMPLED. The paper does not give J, R, L and d, nor whether pseudo-inputs move:
  here J = 10, R = 100, L = 1, d = 10, and they stay where k-means puts them.
- ` + "`cutajar`" + `: the schedule of the public code of Cutajar et al. (2017): Adam 0.01, 200 rows a step, two layers of 100 frequencies and width 3, one sample, sampled
  weights, one draw of the frequencies that is kept, q of the frequencies held for 1000 steps and the kernel parameters for 4000.

## Validation

` + "`--validation 0.1`" + ` holds a tenth of the training rows out of training, by the seed; ` + "`--validation FILE`" + ` reads others. Nothing of them reaches training: not
the gradient, the scaling nor the pseudo-inputs. Every ` + "`eval-every`" + ` steps, and after the last, the model of then predicts them with 8 samples, at most 2000
of them, evenly spread. That bounds the cost: an evaluation is at most 16000 forward passes of a row, and the twenty of a run that does not
say otherwise are 320000, beside 3.84 million rows forward and backward in the 15000 steps of the default. A time limit counts them. Steps in between do
and allocate nothing more than without validation.

The score is the NLPD of a regression, in training-sd units, or the NLL of a classification. At the end the parameters of the best score come
back (` + "`restore: best`" + `), also after Ctrl-C; ` + "`early-stop: 3`" + ` ends the run after three evaluations in a row that are no better. The schedules of learning rate and
KL weight are still planned over all steps, so a run that decays its rate seldom ends early. result.json has a block validation: rows, how many of
them were evaluated, samples, every, fingerprint, which step's parameters were kept and their scores.

## Checkpoints

After every ` + "`checkpoint-every`" + `, a minute if nothing else is said, and at Ctrl-C, a run writes checkpoint.safetensors into its folder: the parameters, Adam's moments, the
average of ` + "`ema`" + `, the best parameters and scores of validation, the step, the options, fingerprints of the data and a checksum. It is written under
another name, brought to disk and renamed, so that there is a whole one at any moment. When the run ends it is removed.

Ctrl-C ends a training after its step. On the CPU, a step that goes in parts (` + "`--chunk`" + `, or for want of memory) is left between two of them, and the run ends at the
step before. The model so far is saved, then tested for as long as 0.7 s. A second Ctrl-C quits at once.
Whatever is under way, the command answers within a second:

- Before the first step (reading, the choice of feature maps and pseudo-inputs, distances), nothing was trained and nothing is left.
- In the test of a run that has ended, the model is saved already. The command says how to score it: ` + "`gpdrf-gpu eval RUN`" + `.
- ` + "`eval` and `predict`" + ` leave nothing; a file that ` + "`--out`" + ` names is as it was.

SIGTERM, and SIGHUP of a terminal that is closed, do what Ctrl-C does; under nohup, SIGHUP does nothing. A time limit includes reading and
preparation: where it is over before the first step, nothing is trained, and the exit code is 2. The test ends at the latest a tenth
of the limit later; where it is left out for this, the model is saved and the exit code is 1.

` + "`gpdrf-gpu train --resume RUN`" + ` goes on after a crash, a power cut, kill -9 or Ctrl-C. Model, configuration, log and result are then, byte for byte, those of a run that was never
stopped, but for seconds: these are the training time that the result rests on, of all the commands together, without what was done after the last checkpoint and lost. On a processor
with other vector instructions, or another kind of GPU, it rounds otherwise. Options that the result depends on stay as they were, so the command that began the run may be repeated
with --resume, and one that differs is refused by name: also --steps, since learning rate and KL weight are planned over all of them. --checkpoint-every, and the number of a GPU
(` + "`cuda:1`" + ` for ` + "`cuda:0`" + `), may change. The rows must be those of the beginning; they are looked for where the run began, then in the current folder. A time limit counts the time used before.

While a run is not finished, ` + "`info`" + ` says how far it came, and ` + "`eval`" + ` and ` + "`predict`" + ` take the parameters of its checkpoint, with a warning: also while it is still training. Two processes cannot
go on with one run at once (where the file system has locks).

## A run folder

| file | holds |
|---|---|
| config.yaml | every option, resolved |
| metrics.jsonl | a line every few steps: step, elbo, ell, kl, lr, seconds; where validation rows were evaluated also val_nlpd and val_rmse, or val_nll and val_error |
| result.json | task, sizes, device, the folder that train ran in, seed, steps, seconds of training (with validation and checkpoints; without reading data and the final evaluation), objective, elbo at the parameters that are kept, on the batch of the last step (of a run in parts that Ctrl-C ended: at the parameters before that step), fingerprints of the data, the scores, or evaluation_failed with the reason why there are none, and generalisation |
| model.safetensors | the parameters, and as metadata the architecture, columns, classes and scaling: ` + "`predict`" + ` needs nothing else |
| checkpoint.safetensors | while the run is not finished: what --resume needs |

It is built under a temporary name that begins with a dot, and put in its place with its first checkpoint, or when it is complete; an empty folder that is there is
filled. result.json is written last, without scores, before the test, and with them after it: a folder with it is a run that has ended. What a run leaves that is killed before its first checkpoint is
removed by the next one into the same parent. ` + "`--overwrite`" + ` puts the new folder in the place of an old run once it is whole, and removes the old one then;
a run that is interrupted stays beside it, and a folder that holds anything else is refused. Model and checkpoint hold a checksum of their own bytes:
a file of which one bit has changed is refused; one of an earlier version, without a checksum, is read with a note. The model file holds no time, path, host
or thread count: the same configuration on the same data gives the same bytes.

Scores under ` + "`test`" + ` are in units of the training targets' standard deviation, those under ` + "`test_raw`" + ` in the target's own units:
rmse, mae, nlpd, crps and the share of targets inside the central 50, 90 and 95 % intervals. A classification has error, nll, brier, ece, for two classes auc, and
bhattacharyya: the mean distance between the two most probable classes over rows predicted right and wrong, and the area under the ROC curve of that
distance as a detector of right rows; null where it is undefined, as for bernoulli, whose class 0 has the logit 0 in all samples.
` + "`classes`" + ` has an entry for each class: class, support (its rows), precision, recall, f1, and predicted, which says how many
of its rows are taken for which class: a row of the confusion matrix without its zeros. A share of no rows is null. ` + "`eval --json`" + ` prints the same keys.

` + "`train --cv N`" + ` makes one folder with a run folder for each fold, fold-1 … fold-N, the same that
` + "`--folds N --fold K`" + ` makes, and cv.json: the options as they were given, and of each fold its
standing (finished, interrupted, unfinished, failed, not begun), sizes and scores. ` + "`test`" + ` and
` + "`test_raw`" + ` have mean and se of each score over the finished folds. The standard error is the
standard deviation over √N; since folds share most of their training rows, the true one is somewhat
larger. ` + "`pooled`" + ` takes all rows as one test set, each predicted by the model of its fold: the scores
of a regression in the target's own units, error, nll, brier and classes of a classification. The
folds of a named set may overlap, and are not pooled. What is chosen from training rows (scaling,
kernel, codebook, pseudo-inputs) is chosen in each fold anew. predictions.csv comes last: of every
row, in the order of the file, its number from 1, its fold, and what ` + "`predict`" + ` writes, by the model
that has not seen it; not of the folds of a named set. A fold whose numbers run away is named, and
the others are trained; after any other error train stops, and ` + "`--resume`" + ` goes on. ` + "`--time-limit`" + ` is
divided equally.

The block generalisation compares rows that the model was trained on, ` + "`seen`" + `, with rows that it
has not seen, ` + "`unseen`" + `. These are the rows of validation where there are some, otherwise those of
the test. Of each kind it takes at most 2000 rows, drawn by the seed. ` + "`log_density`" + ` is the mean
log predictive density of a row, in nats and training-sd units, or the mean log probability of its
label. Of several targets it is the mean of each target's. ` + "`se`" + ` is its standard error. ` + "`expected`" + `
is what the model expects it to be, from its variance or its class probabilities. ` + "`gap`" + ` is seen
less unseen, and ` + "`gap_se`" + ` its standard error. An error is null where a single row has none.
` + "`memorised`" + ` is true where the gap is above 0.25 nats and unseen rows also score worse than
expected, by 0.25 nats and by more than chance. ` + "`train`" + ` then warns and says what to try. A gap
alone is no fault: who interpolates exact targets has one, and may know it.
`
