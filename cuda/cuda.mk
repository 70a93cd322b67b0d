# The program links a static stand-in for the driver (cuda/shim), so that it needs no toolkit to build and no driver to
# start. The tests run kernels.cu on a test double of the driver (cuda/double), so that they need no GPU.

CUDA       ?= $(if $(and $(filter Linux,$(shell uname -s)),$(shell command -v $(CC))),1,0)
CLANG      ?= clang++-19
GENERATED  := build/cuda
SHIM       := cuda/shim
DOUBLE     := $(CURDIR)/$(GENERATED)/libfakecuda.so
# The PTX images by the compute capability from which they run, and the version of PTX that each needs.
IMAGES     := 70 80 90
PTX_70     := ptx63
PTX_80     := ptx70
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
cuda_for    = $(CUDA_ENV) $(if $(filter $(HOST_ARCH),$(1)),,CC=$(CC_$(1)) GOOS=linux GOARCH=$(1) \
	CGO_LDFLAGS=-L$(CURDIR)/$(GENERATED)/$(1))
DOUBLE_ENV  = $(CUDA_ENV) REQUIRE_CUDA=1 GPDRF_CUDA_DRIVER=$(DOUBLE)
BACKEND    := ./device/gpu ./device/conformance
# card.sh on stubs needs no double: make test has tried it.
CUDA_TESTS ?= -skip TestCard ./cuda $(BACKEND)

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
DOUBLE_FLAGS  := $(CXXFLAGS) -I$(GENERATED)/double -march=native -std=c++17 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unknown-pragmas
DOUBLE_SOURCES := $(filter-out cuda/double/kernels.cc,$(wildcard cuda/double/*.cc))
DOUBLE_OBJECTS := $(patsubst cuda/double/%.cc,$(GENERATED)/double/%.o,$(DOUBLE_SOURCES)) \
	$(IMAGES:%=$(GENERATED)/double/kernels_sm%.o) $(GENERATED)/double/mutants.o

$(GENERATED)/double/%.o: cuda/double/%.cc $(wildcard cuda/double/*.h)
	@mkdir -p $(@D)
	$(CXX) $(DOUBLE_FLAGS) -c $< -o $@

# cuda/registers.txt as rows of limits.cc: image, kernel, architecture, registers.
$(GENERATED)/double/registers.inc: cuda/registers.txt
	@mkdir -p $(@D)
	awk '!/^\/\// { for (i = 3; i < NF; i += 2) printf "{%d, \"%s\", %d, %d},\n", $$1, $$2, substr($$i, 4), $$(i + 1) }' $< > $@

$(GENERATED)/double/limits.o: $(GENERATED)/double/registers.inc

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
# access in the images of CHECKED_IMAGES, which access.cc answers in place of g++'s library. ptx: the
# committed PTX as C++, by cuda/ptx2cc. mutant: the same, and kernels with a fault each.
CHECKED       := -O1 -fsanitize=thread --param tsan-instrument-func-entry-exit=0
TRANSLATED    := -march=native -std=c++17 -fPIC -fvisibility=hidden -fwrapv -fno-strict-aliasing -ffp-contract=off -w -I.
DOUBLE_COMMON := $(patsubst cuda/double/%.cc,$(GENERATED)/double/%.o,$(DOUBLE_SOURCES)) \
	$(GENERATED)/double/checked_mutants.o
PTX_HEADERS   := $(addprefix cuda/double/,ptx.h emu.h mma.h access.h)
CHECKED_IMAGES ?= $(IMAGES)
PTX_IMAGES     ?= $(IMAGES)
plain_beside   = $(patsubst %,$(GENERATED)/double/kernels_sm%.o,$(filter-out $(1),$(IMAGES)))
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

$(call double_of,checked): $(CHECKED_IMAGES:%=$(GENERATED)/double/checked_sm%.o) $(DOUBLE_COMMON)
$(call double_of,checked): $(call plain_beside,$(CHECKED_IMAGES))
$(call double_of,ptx): $(PTX_IMAGES:%=$(GENERATED)/double/ptx_sm%.o) $(DOUBLE_COMMON)
$(call double_of,ptx): $(call plain_beside,$(PTX_IMAGES))
$(call double_of,mutant): $(IMAGES:%=$(GENERATED)/double/ptx_sm%.o) $(IMAGES:%=$(GENERATED)/double/mutants_sm%.o) $(DOUBLE_COMMON)
$(call double_of,checked) $(call double_of,ptx) $(call double_of,mutant):
	$(CXX) -shared -o $@ $^

.PHONY: build-cuda double
build-cuda: $(CUDA_FILES)
	$(CUDA_ENV) $(GO) build $(BUILD_FLAGS) -tags cuda,mpi -o $(BINARY) ./cmd/gpdrf-gpu

double: $(DOUBLE) $(CUDA_FILES)

PTX_FLAGS := -x cuda --cuda-device-only -nocudainc -nocudalib -nostdinc -std=c++17 -O3 -Wall -Wextra

$(GENERATED)/kernels_sm%.ptx: $(KERNELS)
	@mkdir -p $(@D)
	$(call installed,$(CLANG),clang-19)
	$(CLANG) $(PTX_FLAGS) --cuda-gpu-arch=sm_$* -Xclang -target-feature -Xclang +$(PTX_$*) -S kernels.cu -o $@.body
	{ echo "// sha256 $$(cat $(KERNELS) | sha256sum | cut -d' ' -f1) of kernels.cu and cuda/kernels/*.cuh"; cat $@.body; } > $@

.PHONY: ptx ptx-check
ptx: $(IMAGES:%=$(GENERATED)/kernels_sm%.ptx) ## cuda/kernels_sm*.ptx from kernels.cu, by clang++-19
	for image in $(notdir $^); do cp $(GENERATED)/$$image cuda/$$image || exit 1; done

ptx-check: $(IMAGES:%=$(GENERATED)/kernels_sm%.ptx)
	for image in $(notdir $^); do cmp $(GENERATED)/$$image cuda/$$image || \
		{ echo "cuda/$$image is not what $(CLANG) makes of kernels.cu: make ptx"; exit 1; }; done

# NVIDIA's own assembler and compiler, which only the targets below need.
TOOLKIT := $(GENERATED)/toolkit/nvidia/cu13

$(TOOLKIT)/bin/ptxas:
	python3 -m pip install -q --no-deps --target $(GENERATED)/toolkit nvidia-cuda-nvcc==13.5.37

$(TOOLKIT)/nvvm/bin/cicc: $(TOOLKIT)/bin/ptxas
	python3 -m pip install -q --no-deps --upgrade --target $(GENERATED)/toolkit \
		nvidia-cuda-nvcc==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37

# Which image for which GPU. The assembler of CUDA 13 no longer knows sm_70.
PTXAS_RUNS := 70:sm_75 $(foreach sm,80 86 89 90 100 120,70:sm_$(sm) 80:sm_$(sm)) 90:sm_90 90:sm_100

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

.PHONY: ptxas ptxas-step
ptxas: $(TOOLKIT)/bin/ptxas ## registers and shared memory of each kernel, by NVIDIA's assembler; fails if any lie in memory
	@for run in $(PTXAS_RUNS); do arch=$${run#*:}; \
		$(TOOLKIT)/bin/ptxas $(ENTRIES) -arch=$$arch -v cuda/kernels_sm$${run%:*}.ptx -o $(GENERATED)/$${run%:*}-$$arch.cubin 2>&1 | \
		awk -v arch=$$run -f cuda/ptxas.awk || exit 1; done

# A row for each kernel of an image, and its registers on each architecture. Tests and the double read it.
.PHONY: registers
registers: $(TOOLKIT)/bin/ptxas ## after make ptx: cuda/registers.txt, the registers of each kernel by NVIDIA's assembler
	@$(MAKE) -s ptxas > $(GENERATED)/ptxas.txt
	@{ head -n 1 cuda/kernels_sm70.ptx; \
		echo "// ptxas, $$($(TOOLKIT)/bin/ptxas --version | tail -n 1): registers of a thread on each architecture, by make registers"; \
		awk '{ split($$1, run, ":"); row = run[1] " " $$2; if (!(row in of)) order[++n] = row; of[row] = of[row] " " run[2] " " $$3 } \
			END { for (i = 1; i <= n; i++) print order[i] of[order[i]] }' $(GENERATED)/ptxas.txt | LC_ALL=C sort; } > cuda/registers.txt

# The kernels of the recorded steps alone, on the architectures that have had least registers to spare.
ptxas-step: ## make ptxas for the kernels of a training step, on two architectures: what CI has time for
	@for run in 70:sm_120 90:sm_100; do \
		$(MAKE) -s ptxas PTXAS_RUNS=$$run ENTRIES="-e $$(awk 'NF == 1 { step[$$1] } /\.entry/ && sub(/\(.*/, "", $$3) && $$3 in step { \
			printf "%s%s", n++ ? "," : "", $$3 }' device/gpu/testdata/launches/*.txt cuda/kernels_sm$${run%:*}.ptx)" || exit 1; done

.PHONY: nvcc
nvcc: $(TOOLKIT)/nvvm/bin/cicc
	$(TOOLKIT)/bin/nvcc -std=c++17 -ptx -arch=compute_80 -o $(GENERATED)/nvcc.ptx kernels.cu

FORMATTED := $(wildcard cuda/kernels/*.cuh cuda/double/*.* cuda/shim/*.c)

.PHONY: format-cuda
format-cuda: ## the layout of kernels and of the double, by cuda/.clang-format
	clang-format-19 -i $(FORMATTED)

.PHONY: deadcode-cuda lint-cuda
deadcode-cuda: $(CUDA_FILES) build/deadcode
	$(call none_dead,$(CUDA_ENV),-tags cuda)

lint-cuda: $(CUDA_FILES) ## lint for the files with the tag cuda, and for kernels
	$(call installed,clang-format-19,clang-format-19)
	clang-format-19 --dry-run -Werror $(FORMATTED)
	$(CUDA_ENV) $(GO) vet -tags cuda,mpi ./cuda $(BACKEND) ./dist/... ./train ./cmd/...
	CGO_ENABLED=0 $(GO) install $(STATICCHECK)
	$(CUDA_ENV) $$($(GO) env GOPATH)/bin/staticcheck -tags cuda,mpi ./cuda $(BACKEND) ./dist/...

# Tests on a form of the double, as a GPU of a compute capability, in an order of threads. A test runs on one processor,
# so that two targets run side by side.
PRODUCTS := 'TestGemm|TestInverseOnce|TestF64/(ARD|Potrf|Trsm|Moments|FeatureMoments)'
LIMITED  := 'TestF64/(Potrf|Trsm|RandomFeatures|FeatureMoments|ARD|Moments)|TestF32/(RandomFeatures|FeatureMoments|Softmax|KLDiag)'
test_on   = $(CUDA_ENV) REQUIRE_CUDA=1 GPDRF_CUDA_DRIVER=$(1) EMU_CAPABILITY=$(2) EMU_ORDER=$(3) \
	$(GO) test -vet=off $(TEST_FLAGS) -tags cuda -count=1 -timeout 40m

.PHONY: test-cuda test-cuda-orders test-cuda-cards test-cuda-train test-cuda-script
test-cuda: double ## the CUDA backend on the driver test double, in three orders of threads, and with the limits of each card
	$(MAKE) -j2 test-cuda-orders test-cuda-cards test-cuda-train test-cuda-script

test-cuda-orders: double
	for order in 0 1 7; do $(call test_on,$(DOUBLE),9.0,$$order) $(CUDA_TESTS) || exit 1; done

# 7.5 has the least shared memory.
test-cuda-cards: double
	$(call test_on,$(DOUBLE),7.5,7) $(CUDA_TESTS)
	for capability in 8.0 8.6 8.9 10.0 12.0; do \
		$(call test_on,$(DOUBLE),$$capability,0) -run $(LIMITED) ./device/conformance || exit 1; done

test-cuda-train: double
	$(DOUBLE_ENV) $(GO) test -vet=off $(TEST_FLAGS) -tags cuda -count=1 -timeout 40m -run TestCUDA ./train

# The ranks of one training, too, with a stand-in for NCCL.
test-cuda-script: double
	$(DOUBLE_ENV) $(GO) test -vet=off $(TEST_FLAGS) -tags cuda,mpi -count=1 -run 'TestScripts/cuda|TestNCCL' ./cmd/gpdrf-gpu
	$(DOUBLE_ENV) $(GO) test -vet=off $(TEST_FLAGS) -tags cuda -count=1 ./dist/nccl

# Products of doubles differ on 8.0, 8.9 and 9.0.
.PHONY: test-ptx
test-ptx: double ## after a change of a kernel: the committed PTX as C++ on the double, and each fault of cuda/mutants.txt in it
	$(MAKE) -j2 $(call double_of,ptx) $(call double_of,mutant)
	for capability in 7.5 9.0; do \
		$(call test_on,$(call double_of,ptx),$$capability,7) $(CUDA_TESTS) && \
		$(call test_on,$(call double_of,ptx),$$capability,0) -run TestCUDA ./train || exit 1; done
	for capability in 8.0 8.9; do \
		$(call test_on,$(call double_of,ptx),$$capability,7) -run $(PRODUCTS) $(BACKEND) || exit 1; done
	PTX_MUTANTS=$(CURDIR)/cuda/mutants.txt $(call test_on,$(call double_of,mutant),,0) -run TestPTXMutants ./device/conformance

# The PTX of one card, and kernels.cu of another with a check of each access. Both find a missing barrier in any order.
# Only images that these cards run are compiled so, and kernels.cu in haste.
FOR_CI := CHECKED_IMAGES=70 PTX_IMAGES=90 CXXFLAGS=-O1

.PHONY: test-cuda-ci test-ci-ptx test-ci-checked
test-cuda-ci:
	$(MAKE) -j2 double $(call double_of,checked) $(call double_of,ptx) $(FOR_CI)
	$(MAKE) -j2 test-ci-ptx test-ci-checked test-cuda-train test-cuda-script $(FOR_CI)

# The memory that a dry device foresees, and a grid, do not depend on the form of the kernels: one double has them.
# The same accesses in larger sums, for which features approach their kernel, are left to the PTX.
LARGE := TestDry|TestManyInputs

test-ci-ptx: $(call double_of,ptx)
	$(call test_on,$<,9.0,7) -skip '$(LARGE)' $(BACKEND)
	$(call test_on,$<,9.0,7) -run 'Image|MachineCode|TF32' ./cuda

test-ci-checked: $(call double_of,checked) double
	$(call test_on,$<,7.5,0) -skip '$(LARGE)|TestCard|TestF32/approach|TestF64/approach' ./cuda $(BACKEND)
	$(call test_on,$(DOUBLE),7.5,0) -run '$(LARGE)' $(BACKEND)

# NVIDIA's own NCCL: its header and its library, which need no GPU for this.
NCCL := $(GENERATED)/nccl/nvidia/nccl

$(NCCL)/lib/libnccl.so.2:
	python3 -m pip install -q --no-deps --target $(GENERATED)/nccl nvidia-nccl-cu12==2.32.3

.PHONY: test-nccl
test-nccl: $(CUDA_FILES) $(NCCL)/lib/libnccl.so.2 ## compare what dist/nccl knows of NCCL with NVIDIA's header and library
	$(CUDA_ENV) NCCL=$(CURDIR)/$(NCCL) $(GO) test $(TEST_FLAGS) -tags cuda -count=1 -run TestHeader ./dist/nccl

.PHONY: go-test-cuda
go-test-cuda: double
	$(DOUBLE_ENV) $(GO) test -vet=off $(TEST_FLAGS) -tags cuda -count=1 $(ARGS)

# What a machine with a card needs: programs that ask for nothing but its libc, and cuda/card.sh that runs them. The
# program has machine code of CARD_SM, as that of a release has of all cards. CARD_SETS are sets of GPDRF_DATA.
CARD       := build/card
COMMIT     ?= $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
CARD_ARCH  := amd64
CARD_SM    ?= sm_90
CARD_SETS  ?= protein
CARD_FLAGS := -trimpath -ldflags '-s -w -extldflags "-static-libgcc"'

.PHONY: card-pack card
card-pack: $(CUDA_FILES) $(GENERATED)/$(CARD_ARCH)/libcuda.a $(filter $(CARD_SM:%=cuda/cubins/%/kernels%),$(CUBINS)) ## build/card: what make card needs, to be carried to a machine with a card; CARD_ARCH=arm64, CARD_SM="sm_80 sm_90", CARD_SETS="protein mnist"
	rm -rf $(CARD)
	mkdir -p $(CARD)/data $(CARD)/peers
	$(call cuda_for,$(CARD_ARCH)) $(GO) build -tags cuda,cubins $(CARD_FLAGS) -o $(CARD)/gpdrf-gpu ./cmd/gpdrf-gpu
	$(call cuda_for,$(CARD_ARCH)) $(GO) test -c -tags cuda $(CARD_FLAGS) -o $(CARD)/ ./cuda $(BACKEND) ./dist/nccl ./train
	ls $(CARD)/gpdrf-gpu $(CARD)/*.test | xargs -n 1 -P 2 gzip
	cp cuda/card.sh cuda/stages.sh $(CARD)
	cp bench/peers/*.py model/testdata/golden.json $(CARD)/peers
	echo "$(COMMIT)" > $(CARD)/commit
	echo "linux/$(CARD_ARCH)" > $(CARD)/system
	@for set in $(CARD_SETS); do \
		test -d "$(GPDRF_DATA)/$$set" || { echo "$$set is not packed: it is not in GPDRF_DATA=$(GPDRF_DATA)"; continue; }; \
		mkdir -p $(CARD)/data/$$set; \
		for file in $$(ls "$(GPDRF_DATA)/$$set" | grep -E '^fold1\.|ubyte'); do \
			cp "$(GPDRF_DATA)/$$set/$$file" $(CARD)/data/$$set || exit 1; done; done
	@size=$$(( ($$(git ls-files | xargs cat | wc -c) + $$(find $(CARD) -type f | xargs cat | wc -c)) >> 20 )); \
		echo "$(CARD): $$size MiB with the tracked files"; test $$size -lt 60 || { echo "that is 60 MiB or more: name fewer CARD_SETS or CARD_SM"; exit 1; }

card: ## on a machine with a card and the folder of make card-pack: check and time it, STAGES="check bench" or all, to bench/results or OUT
	@test -f $(CARD)/card.sh || { echo "$(CARD) is not there: make card-pack where there is Go, and carry the folder here"; exit 1; }
	@STAGES="$(STAGES)" sh $(CARD)/card.sh
