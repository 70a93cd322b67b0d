#!/bin/sh
# The run folders of docs/formats.md and their predictions, by the program of one version. Later
# versions read them, so they are made once, in a folder that the files then name:
#   mkdir /golden && cp -r rows make.sh /golden && cd /golden && sh make.sh gpdrf-gpu
set -eu
program=$1
export GPDRF_SIMD=scalar

train() {
  "$program" train --device cpu:f64 --eval-samples 8 --report=false --quiet "$@" >/dev/null
}

predict() { # RUN, TABLE, the name of the predictions, options
  run=$1 table=$2 name=$3
  shift 3
  "$program" predict "$run" --data "rows/$table" --device cpu:f64 --out "predictions/$name.csv" "$@"
}

run() { # its name, TABLE, options
  name=$1 table=$2
  shift 2
  train --data "rows/$table" --out "$name" "$@"
  predict "$name" "$table" "$name"
}

short="--steps 60" gp="--inducing 5" drf="--features 4"
both="--inducing 5 --features 4 --latents 2"
mkdir predictions
run gp houses.csv $short --model gp $gp --target price \
  --kernel matern32+rbf --lengthscales ard --natgrad 0.1 --q-cov full
run drf houses.csv $short --model drf $drf --target price,rent \
  --layers 2 --hidden 3 --likelihood heteroscedastic --spectra var-resampled-each --features-kernel matern32 \
  --scaling log
run gpdrf houses.csv $short $both --target price --ignore rent --validation 0.2
run mixed mixed.csv $short $both --missing impute \
  --likelihood student-t --spectra var-fixed-all --samples 2
run classes flowers.csv $short $both --whiten=false
run two mail.csv $short $both --likelihood bernoulli --scaling robust --class-offsets --separator semicolon
run sequences genes.fasta $short $both --kernel spectrum:2/tfidf+gapped:4,2
run projected molecules.csv $short --model drf $drf --sequence smiles --kernel wl:1/tfidf --projection 6
run walks walks.csv $short $both --sequence walk --codebook 4 --kernel spectrum:1
run graphs molecules.csv $short $both --sequence smiles --kernel rbf+wl:1
run ensemble houses.csv --steps 20 $both --target price --ensemble 2
run best houses.csv --steps 16 $both --target price --preset best

train --data rows/houses.csv --gram rows/gram.npz --out gram $short --model gp --target price
predict gram houses.csv gram --gram rows/gram.npz

# A cross-validation, which is a folder of runs.
train --data rows/flowers.csv --out folds --steps 20 --cv 2 --model gp $gp

# A run that is killed, its predictions then, and those of its end.
train --data rows/houses.csv --target price --out checkpoint --steps 400 $both \
  --validation 0.2 --checkpoint-every 1 &
until grep -qs '"step":20' checkpoint/metrics.jsonl; do :; done
kill -9 $(pgrep -P $!)
wait $! || true
predict checkpoint houses.csv checkpoint
cp -r checkpoint resumed
"$program" train --resume resumed --checkpoint-every 0 --quiet >/dev/null
predict resumed houses.csv resumed
rm -rf resumed checkpoint/.checkpoint*

# What no command needs to read a run.
for folder in */ folds/*/; do
  rm -f "$folder"predictions.csv "$folder"importance.json "$folder"history.json "$folder"metrics.csv
done
