# gpdrf-gpu: `make` lists what there is. Everything here is pure Go: no C compiler, no GPU.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
BINARY      := gpdrf-gpu
export CGO_ENABLED ?= 0

tick = $(if $(shell command -v $(1) 2>/dev/null),✓,✗)

.PHONY: help
help: ## this list
	@echo "gpdrf-gpu: deep Gaussian processes, trained from the command line"
	@echo
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'
	@echo
	@echo "  $(call tick,$(GO)) go           needed for everything ($(shell $(GO) version 2>/dev/null | cut -d' ' -f3))"
	@echo "  $(call tick,gcc) gcc          needed for make race only"
	@echo "  $(call tick,python3) python3      needed to make the reference values of the tests anew"
	@echo "  $(if $(GPDRF_DATA),✓,✗) GPDRF_DATA   folder with the data sets beyond powerplant, for make results"

.PHONY: build
build: ## the program, ./gpdrf-gpu
	$(GO) build -trimpath -o $(BINARY) ./cmd/gpdrf-gpu

.PHONY: test
test: ## all tests
	$(GO) test ./...

.PHONY: race
race: ## all tests under the race detector
	CGO_ENABLED=1 $(GO) test -race -short ./...

.PHONY: lint
lint: ## gofmt, go vet and staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt -w the files above"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

.PHONY: fuzz
fuzz: ## every fuzz target, 20 seconds each
	@for f in $$(grep -rlE '^func Fuzz' --include='*_test.go' .); do \
		for t in $$(grep -oE '^func Fuzz[A-Za-z0-9]+' $$f | cut -d' ' -f2); do \
			echo "$$t"; $(GO) test -run '^$$' -fuzz "^$$t$$" -fuzztime 20s ./$$(dirname $$f) || exit 1; \
		done; \
	done

.PHONY: bench
bench: ## time every operation at typical sizes
	$(GO) test -run '^$$' -bench . ./device/cpu ./internal/simd ./model

.PHONY: results
results: ## docs/results.md: every figure we print, trained anew (resumes where it stopped)
	$(GO) run ./bench results

.PHONY: check
check: lint test race ## what CI runs

.PHONY: clean
clean: ## remove what make built
	rm -rf $(BINARY) build
