# gpdrf-gpu in a container, with CUDA: docker build -t gpdrf-gpu . && docker run --gpus all gpdrf-gpu info
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
# NVIDIA's assembler, which comes from PyPI, makes the machine code of all cards.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-pip && \
  make dist-cuda-$(go env GOARCH) && mv build/dist/programs/*/gpdrf-gpu . && sh internal/release/release.sh describe gpdrf-gpu

FROM debian:bookworm-slim
COPY --from=build /src/gpdrf-gpu /usr/local/bin/gpdrf-gpu
COPY --from=build /src/LICENSE /src/THIRD_PARTY_NOTICES.txt /src/sbom.cdx.json /usr/share/doc/gpdrf-gpu/
# The NVIDIA container runtime mounts the driver of the host for these.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /work
ENTRYPOINT ["gpdrf-gpu"]
