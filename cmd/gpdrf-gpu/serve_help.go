package main

func (p *program) serveVerb() verb {
	return verb{
		name: "serve", args: "RUN...", line: "answer requests for predictions over HTTP and gRPC", run: p.serve,
		about: "RUN is a run folder or a model.safetensors; it is served under the name of its folder, or under NAME " +
			"with NAME=RUN. Requests follow the Open Inference Protocol, version 2, as KServe and Triton clients " +
			"send them, over HTTP and gRPC. Rows as plain JSON go to /v1/models/NAME:predict. docs/serve.md has " +
			"examples, and /openapi.json every path. A row's prediction has the same bits as that of predict. A " +
			"model whose files change is loaded again, and no request is lost. Only this machine can reach the " +
			"default addresses. For others, give --token-file, and --tls-cert with --tls-key. The log goes to " +
			"standard error, a line for each request. Ctrl-C finishes the requests in work and ends.",
		flags: serveFlags(),
		examples: []example{
			{"gpdrf-gpu serve runs/powerplant-gpdrf-1", "one model, for this machine"},
			{"gpdrf-gpu serve power=runs/powerplant-gpdrf-1 genes=runs/dna --memory 2GiB",
				"two models under other names, in bounded memory"},
			{"gpdrf-gpu serve runs/dna --listen :8443 --grpc-listen none --token-file tokens " +
				"--tls-cert cert.pem --tls-key key.pem", "for other machines"},
		},
	}
}

func serveFlags() []flagSpec {
	return []flagSpec{
		{group: "Addresses", name: "listen", arg: "HOST:PORT|unix:FILE",
			help: "of HTTP; unix:FILE is a Unix socket, for this user alone", otherwise: "127.0.0.1:8080"},
		{group: "Addresses", name: "grpc-listen", arg: "HOST:PORT|unix:FILE|none", help: "of gRPC",
			otherwise: "127.0.0.1:8081"},
		{group: "Addresses", name: "until-eof", arg: switchArg,
			help: "end when standard input does, so that the server ends with the program that began it"},
		{group: "Access", name: "token-file", arg: "FILE",
			help: "a token on each line; clients send Authorization: Bearer TOKEN"},
		{group: "Access", name: "tls-cert", arg: "FILE", help: "the certificate, PEM"},
		{group: "Access", name: "tls-key", arg: "FILE", help: "its key, PEM"},
		{group: "Access", name: "insecure", arg: switchArg, help: "let other machines in without token and TLS"},
		{group: "Access", name: "cors", arg: "ORIGIN",
			help: "let pages of this origin, such as https://example.org, read answers in a browser; * lets all"},
		{group: "Batches", name: "max-delay", arg: "TIME",
			help: "how long a request waits for others, which also gather during a prediction", otherwise: "0s"},
		{group: "Batches", name: "max-batch", arg: "N", help: "rows that are predicted at once", otherwise: "256"},
		{group: "Limits", name: "max-rows", arg: "N", help: "rows of a request", otherwise: "10000"},
		{group: "Limits", name: "max-body", arg: "SIZE", help: "bytes of a request", otherwise: "16MiB"},
		{group: "Limits", name: "timeout", arg: "TIME", help: "of a request", otherwise: "30s"},
		{group: "Limits", name: "max-connections", arg: "N",
			help: "open connections of HTTP, and of gRPC", otherwise: "1024"},
		{group: "Limits", name: "memory", arg: "SIZE",
			help: "of all loaded models; those beyond it are loaded when they are asked for"},
		samplesFlag, deviceFlag, precisionFlag,
	}
}
