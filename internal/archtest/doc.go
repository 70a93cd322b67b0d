// Package archtest tests the code's own rules: packages import only the packages that they may, documents name only
// existing things, every operation has its twin in every backend, files stay short and exported names explained. It has
// no other code.
package archtest
