# Python: the environments that tests and measurements run in, the package in python/, and the checks of serve, export
# and tables by other programs.

NUMPY   := numpy==2.4.6
SKLEARN := scikit-learn==1.9.1
POLARS  := polars==2.1.0
# PyTorch's own index has a build without CUDA; the one of PyPI is larger and as fast.
TORCH   := --extra-index-url https://download.pytorch.org/whl/cpu torch==2.15.0

# The packages of an environment, by its folder in build.
PACKAGES_python         := $(NUMPY) safetensors==0.8.0 tensorboard==2.21.0 cyclonedx-python-lib[json-validation]==11.12.0
PACKAGES_clients/triton := $(NUMPY) tritonclient[http,grpc]==2.73.0
PACKAGES_clients/kserve := $(NUMPY) kserve==0.21.0
PACKAGES_onnx           := $(NUMPY) onnxruntime==1.32.0
PACKAGES_parquet        := $(NUMPY) pyarrow==26.0.1 $(POLARS)
PACKAGES_wheels/env     := $(NUMPY) $(SKLEARN) $(POLARS) pandas==3.1.1 tqdm==4.70.1 hatchling==1.33.0 pytest==9.2.0 \
	mypy==2.4.1 ruff==0.17.6 nbclient==0.11.0 ipykernel==7.4.0 matplotlib==3.11.2
PACKAGES_proto          := grpcio-tools==1.81.1
PACKAGES_peers          := $(NUMPY) $(TORCH)
PACKAGES_svm            := $(NUMPY) $(SKLEARN)
PACKAGES_gauche         := $(NUMPY) $(SKLEARN) rdkit==2026.9.1
PACKAGES_suite/python   := $(NUMPY) $(SKLEARN) $(TORCH) gpytorch==1.15.2 lightgbm==4.7.0 ngboost==0.5.11 \
	catboost==1.2.10 gpboost==1.8.0 pytabkit==1.7.3 xrfm==0.4.5
# It asks for older ones of the rest.
PACKAGES_suite/treeffuser := numpy==1.26.4 scikit-learn==1.5.0 lightgbm==4.3.0 treeffuser==0.2.0

# The pip of build/python does for all environments: a copy takes 4 s to unpack and compile.
pip_into = build/python/bin/python -m pip --python $(1)/bin/python install -q

build/python/is-there: python/python.mk
	python3 -m venv build/python
	$(call pip_into,build/python) $(foreach package,$(PACKAGES_python),'$(package)')
	touch $@

build/%/is-there: python/python.mk | build/python/is-there
	$(if $(PACKAGES_$*),,$(error there is no environment build/$*: see python/python.mk))
	python3 -m venv --without-pip build/$*
	$(call pip_into,build/$*) $(foreach package,$(PACKAGES_$*),'$(package)')
	touch $@

.PHONY: python
python: build/python/is-there # what the tests of model files, logs and bills of materials compare with

# The program that the checks below run.
.PHONY: build/checked/gpdrf-gpu
build/checked/gpdrf-gpu:
	$(GO) build -o $@ ./cmd/gpdrf-gpu

.PHONY: serve-triton serve-kserve test-onnx test-parquet
serve-triton: build/clients/triton/is-there build/checked/gpdrf-gpu ## serve against tritonclient: the bits of predict over HTTP and gRPC
	build/clients/triton/bin/python serve/clients/check.py triton build/checked/gpdrf-gpu

serve-kserve: build/clients/kserve/is-there build/checked/gpdrf-gpu ## the same against kserve's client
	build/clients/kserve/bin/python serve/clients/check.py kserve build/checked/gpdrf-gpu

test-onnx: build/onnx/is-there build/checked/gpdrf-gpu ## export against onnxruntime: the numbers of predict on 1,000 rows
	build/onnx/bin/python onnx/check.py build/checked/gpdrf-gpu

test-parquet: build/parquet/is-there build/checked/gpdrf-gpu ## Parquet and Arrow files in and out, against pyarrow and polars
	build/parquet/bin/python data/columnar/check.py build/checked/gpdrf-gpu

# The Python package: a wheel for each system, with the program inside, and what builds, checks and tests it.
WHEELS    := build/wheels
WHEEL_BIN := ../$(WHEELS)/env/bin
HOST       = $(shell $(GO) env GOHOSTOS)-$(shell $(GO) env GOHOSTARCH)

.PHONY: wheel wheels lint-python test-python notebook
wheel: ## the Python wheel of this platform, in build/wheels
	$(MAKE) wheel-$(HOST)

wheels: $(SYSTEMS:%=wheel-%) ## the Python wheels of all platforms

wheel-%: $(WHEELS)/env/is-there
	GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) \
		$(GO) build $(BUILD_FLAGS) -o $(WHEELS)/$*/gpdrf-gpu ./cmd/gpdrf-gpu
	sh internal/release/release.sh describe $(WHEELS)/$*/gpdrf-gpu
	cd python && GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) \
		GPDRF_PROGRAM=../$(WHEELS)/$*/gpdrf-gpu $(WHEEL_BIN)/python -m hatchling build -t wheel -d ../$(WHEELS)/$*

lint-python: $(WHEELS)/env/is-there ## ruff, and mypy --strict, on the Python package
	cd python && $(WHEEL_BIN)/ruff format --check . && $(WHEEL_BIN)/ruff check . && $(WHEEL_BIN)/mypy

test-python: wheel ## the tests of the Python package, from its wheel; PYTEST="-m slow" those that take minutes
	$(call pip_into,$(WHEELS)/env) --force-reinstall --no-deps $(WHEELS)/$(HOST)/*.whl
	cd python && env -u GPDRF_PROGRAM $(WHEEL_BIN)/python -m pytest -q $(PYTEST)

notebook: ## python/python.ipynb with what it shows now, after make test-python
	cd python && UPDATE=1 $(WHEEL_BIN)/python -m pytest -q tests/test_notebook.py

.PHONY: proto
proto: build/proto/is-there ## serve/inference/inference.pb.go, from inference.proto
	GOBIN=$(CURDIR)/build/proto $(GO) install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
	PATH=$(CURDIR)/build/proto:$$PATH build/proto/bin/python -m grpc_tools.protoc -I serve/inference \
		--go_out=serve/inference --go_opt=paths=source_relative inference.proto
