// Command style checks how the project is written: the length of lines and sentences, and phrases
// that hide their meaning.
//
//	go run ./internal/style [FOLDER]
//
// Markdown has lines of at most 100 columns, outside tables, code and the addresses of links, and
// sentences of at most 25 words. Comments in Go and CUDA have lines of at most 100 columns, and
// code in Go 120. Go comments have at most 30 words between two of .!?:; as well. No text, comment
// or string of the program uses the phrases of banned.go. make lint runs it.
package main
