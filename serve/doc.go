// Package serve answers requests for predictions over the network: the Open Inference Protocol, version 2, over HTTP
// and gRPC, and rows as plain JSON. The way of a request:
//
//	http.go, grpc.go            routes; tensors end in Server.infer, rows in Server.predict
//	 middleware.go, auth.go     request IDs, logs, metrics, tokens
//	 v2json.go, tensor.go       the protocol's tensors from JSON, and raw
//	 rows.go                    rows from JSON
//	inputs.go                   tensors become rows, checked as those of a file
//	store.go                    the model by its name: loaded, reloaded, evicted
//	batch.go                    rows of several requests become one batch
//	outputs.go                  a prediction becomes tensors
//
// A row's prediction has the same bits as that of the verb predict, whatever rows share its batch: all rows have the
// same noise, and no operation mixes rows (docs/serve.md).
package serve
