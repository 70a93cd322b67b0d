package device

import "fmt"

// FaultError is a failure of the machine in the middle of an operation: no memory, or a lost driver. Operations return
// no errors, because each of them could fail in this way at any time. They panic with a *FaultError, and RecoverFault
// turns it into an error.
type FaultError struct {
	Device string // name of the device
	Op     string // the operation that failed
	Err    error
	Bytes  int64 // number of bytes that were requested, if memory ran out; otherwise 0
}

func (e *FaultError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Device, e.Op, e.Err) }

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Err }

// RecoverFault turns the panic of a fault into an error, and passes other panics on. The caller of operations defers
// it:
//
//	func step() (err error) {
//		defer device.RecoverFault(&err)
func RecoverFault(err *error) {
	switch v := recover().(type) {
	case nil:
	case *FaultError:
		*err = v
	default:
		panic(v)
	}
}
