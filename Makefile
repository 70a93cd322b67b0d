# gpdrf-gpu: `make` lists what a user needs, `make help` all. Nothing here needs a GPU. A C compiler is needed for
# make lint, make race, and what has CUDA in its name; make build does without if there is none.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
VALE        ?= github.com/vale-cli/vale/v3/cmd/vale@v3.22.0
DEADCODE    ?= golang.org/x/tools/cmd/deadcode@v0.49.0
BINARY      := gpdrf-gpu
# Flags of go test in every target that tests, such as -v.
TEST_FLAGS  ?=
export CGO_ENABLED ?= 0

# Without symbols and debugging information, which a trace of a panic does not need: a quarter of the program's size.
# Without Go's number of the build, too, which depends on the folder: the same commit gives the same bytes.
BUILD_FLAGS := -trimpath -buildvcs=auto -ldflags '-s -w -buildid='
# Systems that have a release and a wheel.
SYSTEMS     := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64

.PHONY: usual help
usual: # the targets of USUAL, which is what make alone does
	@echo "gpdrf-gpu: deep Gaussian processes, trained from the command line"
	@echo
	@grep -hE '^($(USUAL)):.*## ' $(MAKEFILE_LIST) | $(targets)
	@echo
	@echo "  make help lists all targets, and what they need"

USUAL   := build|test|check|bench|results|suite|toy|clean
targets := awk -F ':.*\#\# ' '{printf "  make %-14s %s\n", $$1, $$2}'
tick     = $(if $(shell command -v $(1) 2>/dev/null),✓,✗)

help: ## all targets, and what they need
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | $(targets)
	@echo
	@echo "  $(call tick,$(GO)) go           needed for everything ($(shell $(GO) version 2>/dev/null | cut -d' ' -f3))"
	@echo "  $(call tick,gcc) gcc          needed for make lint, make race, make test-cuda, and CUDA in make build"
	@echo "  $(call tick,clang++-19) clang++-19   needed for make ptx, after a change of a kernel"
	@echo "  $(call tick,python3) python3      needed for what is compared with Python's libraries"
	@echo "  $(if $(GPDRF_DATA),✓,✗) GPDRF_DATA   folder with the data sets beyond powerplant, for make results"

# installed is a command that Debian's packages bring: $(call installed,COMMANDS,PACKAGES). Recipes run side by side,
# and apt-get fails where another holds its lock.
apt-get   = flock /var/lib/dpkg apt-get -qq
apt       = $(apt-get) install -y --no-install-recommends $(1)
installed = @command -v $(1) >/dev/null || $(call apt,$(2)) || { $(apt-get) update && $(call apt,$(2)); } || \
	{ echo "install the packages $(2)"; exit 1; }

.PHONY: build build-go
build: ## the program, ./gpdrf-gpu; with CUDA where there is a C compiler, CUDA=0 without
	$(MAKE) $(if $(filter 0,$(CUDA)),build-go,build-cuda)

build-go:
	$(GO) build $(BUILD_FLAGS) -tags mpi -o $(BINARY) ./cmd/gpdrf-gpu

# lint has vetted what is tested.
.PHONY: test test-module test-bench race check
test: test-module test-bench ## all tests

test-module:
	$(GO) test -vet=off $(TEST_FLAGS) ./...

test-bench:
	$(GO) -C bench test -vet=off $(TEST_FLAGS) ./...

# Left out: whole trainings, TestF64, which is TestF32 in another precision, and large inputs that one goroutine
# reads. Goroutines have other tests. Without its tag, the cuda folder has no goroutines. The conformance suite runs
# those of device/cpu.
TRAININGS := TestScripts|TestTerminated|TestF64|^Example|TestProjection(Of|Finds)|TestFormatsAreDocumented
LARGE_INPUTS := TestManyNames|TestLargeGraphs|TestHeaderOfWideTable|TestLongHeader|TestWideTable|\
TestBadFiles|TestRareTexts|TestLateCodes|TestUnneeded|TestMatchesFor|TestCrowded|TestCounter|TestSelectSum|TestTanimoto|\
TestDry|TestNoAllocation|TestManyEmptyElements
race: ## tests of the packages that start goroutines or import sync, under the race detector
	CGO_ENABLED=1 $(GO) test -vet=off $(TEST_FLAGS) -race -short -skip '$(TRAININGS)|^($(subst | ,|,$(LARGE_INPUTS)))$$' \
		./device/conformance $$(git grep -lE '^[[:space:]]+go [a-z]|"sync(/atomic|/errgroup)?"' -- '*.go' ':!bench' \
			':!internal/archtest' ':!cuda' | xargs dirname | sort -u | sed 's,^,./,')

check: lint test race ## lint, tests and the race detector

.PHONY: test-tiers
test-tiers: ## the conformance suite with each set of instructions that this processor has
	for tier in avx2 scalar; do GPDRF_SIMD=$$tier $(GO) test -vet=off $(TEST_FLAGS) -count=1 \
		-run 'TestF32|TestF64|TestDeterminism' ./device/conformance || exit 1; done

.PHONY: mpi test-mpi test-netns
mpi: # Open MPI and MPICH, side by side as Debian has them, and nothing to compile with
	$(call installed,mpirun.openmpi,openmpi-bin)
	$(call installed,mpirun.mpich,mpich)

test-mpi: ## training in several processes, by Open MPI, MPICH and a double of the MPI ABI
	@$(GO) vet -tags mpi ./dist/... ./cmd/gpdrf-gpu
	$(GO) test -vet=off $(TEST_FLAGS) -tags mpi -count=1 -run 'TestRanks|TestConformance|TestFaults|TestOther' \
		./dist/mpi ./cmd/gpdrf-gpu

test-netns: ## one rank in each of two network namespaces, which talk by TCP; it needs root
	@$(GO) build -tags mpi -o build/netns/gpdrf-gpu ./cmd/gpdrf-gpu
	@sh dist/mpi/netns.sh build/netns/gpdrf-gpu

ARM64 := GOARCH=arm64 $(GO) test -vet=off $(TEST_FLAGS) -count=1 -exec qemu-aarch64-static

.PHONY: test-arm64
test-arm64: ## the arm64 kernels, and the CPU backend on them, under qemu
	$(call installed,qemu-aarch64-static,qemu-user-static)
	$(ARM64) -skip 'TestGenerated|TestF64|TestNoAllocation|TestDry|TestF32/FeatureMoments/full' \
		./internal/simd ./internal/philox ./device/cpu ./device/conformance

# What Vale reads, by .vale.ini. It parses source by libraries in C.
TEXTS := '*.md' '*.go' '*.py' '*.cu' '*.cuh' '*.cc' '*.h'

.PHONY: lint
lint: ## gofmt, go vet, staticcheck, and the style of texts and comments
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt -w the files above"; exit 1; }
	for module in . bench; do (cd $$module && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...) || exit 1; done
	@CGO_ENABLED=1 CGO_CFLAGS="-O0 -w" $(GO) run $(VALE) --output line $$(git ls-files $(TEXTS))

# deadcode exits with 0 whatever it finds.
none_dead = @found=$$($(1) $(CURDIR)/build/deadcode -test $(2) ./...) && \
	{ test -z "$$found" || { echo "$$found"; exit 1; }; }

build/deadcode:
	CGO_ENABLED=0 GOBIN=$(CURDIR)/build $(GO) install $(DEADCODE)

.PHONY: deadcode
deadcode: build/deadcode ## functions that no program and no test calls
	$(call none_dead)
	$(call none_dead,cd bench &&)

# deadcode reads all from source, in a tenth of the time of a build, and fails where types are wrong.
.PHONY: types
types: build/deadcode ## the types of the program and its tests on the systems that CI does not have
	for os in darwin windows; do GOOS=$$os build/deadcode -test -filter '^$$' ./... || exit 1; done

.PHONY: fuzz
fuzz: ## every fuzz target, 20 seconds each
	@for f in $$(grep -rlE '^func Fuzz' --include='*_test.go' .); do \
		for t in $$(grep -oE '^func Fuzz[A-Za-z0-9]+' $$f | cut -d' ' -f2); do echo "$$t"; \
			$(GO) test -run '^$$' -fuzz "^$$t$$" -fuzztime 20s -fuzzminimizetime 10x ./$$(dirname $$f) || exit 1; \
		done; \
	done

.PHONY: chromium
chromium: # the browser that tests open reports in
	$(call installed,chromium-headless-shell,chromium-headless-shell fonts-dejavu-core)

.PHONY: clean
clean: ## remove what make built
	rm -rf $(BINARY) build cuda/*.ptx.gz cuda/cubins

include bench/bench.mk python/python.mk cuda/cuda.mk internal/release/release.mk
