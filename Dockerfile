# gpdrf-gpu in a container, with CUDA: docker build -t gpdrf-gpu . && docker run --gpus all gpdrf-gpu info
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN make build && sh internal/release/release.sh describe gpdrf-gpu

FROM debian:bookworm-slim
COPY --from=build /src/gpdrf-gpu /usr/local/bin/gpdrf-gpu
COPY --from=build /src/LICENSE /src/THIRD_PARTY_NOTICES.txt /src/sbom.cdx.json /usr/share/doc/gpdrf-gpu/
# The NVIDIA container runtime mounts the driver of the host for these.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /work
ENTRYPOINT ["gpdrf-gpu"]
