// Package archtest tests the house itself: which room may import which, that the
// documents name what exists, that every operation has its twin in every backend, and that
// files stay short and exported names explained. It has no code of its own.
package archtest
