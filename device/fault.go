package device

import "fmt"

// FaultError is a failure of the machine in the middle of an operation: no memory, a driver
// that was lost. Operations return no errors, because all of them could fail so at any time;
// they panic with a *FaultError, and Guard makes it an error again.
type FaultError struct {
	Device string // its name
	Op     string // the operation that failed
	Err    error
	Bytes  int64 // requested, where memory ran out; otherwise 0
}

func (e *FaultError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Device, e.Op, e.Err) }

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Err }

// Guard turns the panic of a fault into an error; other panics go on. It is deferred by the caller
// of operations:
//
//	func step() (err error) {
//		defer device.Guard(&err)
func Guard(err *error) {
	switch v := recover().(type) {
	case nil:
	case *FaultError:
		*err = v
	default:
		panic(v)
	}
}
