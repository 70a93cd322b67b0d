# Release files: the program in pure Go for all systems, and with CUDA for Linux. There, machine code of known cards is
# packed beside the PTX, so that a start does not wait for the driver's compiler.

DIST := build/dist

$(GENERATED)/%/libcuda.a: $(GENERATED)/libcuda.a
	@mkdir -p $(@D)
	$(call installed,$(CC_$*),gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	$(CC_$*) -O2 -fPIC -c $(SHIM)/shim.c -o $(@D)/shim.o
	$(CC_$*) -fPIC -c $(GENERATED)/jumps.S -o $(@D)/jumps.o
	rm -f $@
	ar rcs $@ $(@D)/shim.o $(@D)/jumps.o

.PHONY: $(SYSTEMS:%=dist-%) dist-cuda-amd64 dist-cuda-arm64
$(SYSTEMS:%=dist-%): dist-%:
	CGO_ENABLED=0 GOOS=$(firstword $(subst -, ,$*)) GOARCH=$(lastword $(subst -, ,$*)) \
		$(GO) build $(BUILD_FLAGS) -o $(DIST)/programs/$*/ ./cmd/gpdrf-gpu

dist-cuda-amd64 dist-cuda-arm64: dist-cuda-%: $(CUDA_FILES) $(GENERATED)/%/libcuda.a $(CUBINS)
	$(call cuda_for,$*) $(GO) build $(BUILD_FLAGS) -tags cuda,cubins,mpi -o $(DIST)/programs/linux-$*-cuda/ ./cmd/gpdrf-gpu

.PHONY: dist dist-check dist-again
dist: ## build/dist: archives of the program for Linux, macOS and Windows, with CUDA for Linux; checksums, licences, lists of modules
	rm -rf $(DIST)
	$(MAKE) $(SYSTEMS:%=dist-%) dist-cuda-amd64 dist-cuda-arm64
	sh internal/release/release.sh pack $(DIST)
	@ls -sh $(DIST)

dist-check: double build/python/is-there ## what make dist made: checksums, systems, first runs, and machine code on the driver test double
	build/python/bin/python internal/release/validate.py $(DIST)/*.cdx.json
	sh internal/release/check.sh $(DIST) $(DOUBLE)
	$(MAKE) dist-again

# What make dist made of the same commit, in another folder.
AGAIN_IN := $(CURDIR)/build/dist-again

dist-again: $(TOOLKIT)/bin/ptxas ## whether two files of make dist come out with the same bytes in another folder; commit first
	@test -z "$$(git status --porcelain)" || { echo "make dist-again builds the last commit: commit first"; exit 1; }
	rm -rf $(AGAIN_IN)
	git clone -q . $(AGAIN_IN)
	$(MAKE) -C $(AGAIN_IN) TOOLKIT=$(CURDIR)/$(TOOLKIT) dist-linux-amd64 dist-cuda-amd64
	cd $(AGAIN_IN) && sh internal/release/release.sh pack $(DIST)
	cd $(AGAIN_IN)/$(DIST) && for file in gpdrf-gpu-*; do \
		cmp $$file $(CURDIR)/$(DIST)/$$file || exit 1; echo "$$file comes out again"; done
	rm -rf $(AGAIN_IN)
