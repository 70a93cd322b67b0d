package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Error is a client's mistake, or the reason for no answer.
type Error struct {
	kind errorKind
	msg  string
}

func (e *Error) Error() string { return e.msg }

// errorKind is the form of an error in each protocol.
type errorKind struct {
	status int
	code   grpcCode
}

// grpcCode is a status of gRPC.
type grpcCode struct {
	number int
	name   string
}

var (
	answered    = errorKind{http.StatusOK, grpcCode{0, "OK"}}
	bad         = errorKind{http.StatusBadRequest, grpcCode{3, "InvalidArgument"}}
	unknown     = errorKind{http.StatusNotFound, grpcCode{5, "NotFound"}}
	denied      = errorKind{http.StatusUnauthorized, grpcCode{16, "Unauthenticated"}}
	forbidden   = errorKind{http.StatusForbidden, grpcCode{7, "PermissionDenied"}}
	wrongMethod = errorKind{http.StatusMethodNotAllowed, grpcCode{12, "Unimplemented"}}
	tooLarge    = errorKind{http.StatusRequestEntityTooLarge, grpcCode{3, "InvalidArgument"}}
	wrongFormat = errorKind{http.StatusUnsupportedMediaType, grpcCode{12, "Unimplemented"}}
	busy        = errorKind{http.StatusServiceUnavailable, grpcCode{8, "ResourceExhausted"}}
	unavailable = errorKind{http.StatusServiceUnavailable, grpcCode{14, "Unavailable"}}
	timedOut    = errorKind{http.StatusGatewayTimeout, grpcCode{4, "DeadlineExceeded"}}
	clientGone  = errorKind{499, grpcCode{1, "Canceled"}} // the client has left; 499 is nginx's word for it
	failed      = errorKind{http.StatusInternalServerError, grpcCode{13, "Internal"}}
)

func invalidf(format string, args ...any) error { return &Error{bad, fmt.Sprintf(format, args...)} }

// quote shows a name in a message.
func quote(s string) string { return phrase.Quote(s) }

// reported returns the error that a client gets for err. An error of the server is reported without details, since
// these may name files; the log has them.
func reported(err error) *Error {
	var own *Error
	var input *data.Error
	var usage *usererror.Error
	var size *http.MaxBytesError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &input), errors.As(err, &usage):
		return &Error{bad, err.Error()}
	case errors.As(err, &size):
		return &Error{errorKind{tooLarge.status, busy.code},
			fmt.Sprintf("the body is larger than %d bytes: send fewer rows at a time", size.Limit)}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		// A body that comes too late has the second of these errors.
		return &Error{timedOut, "the time for this request is over: send fewer rows at a time, or ask the operator " +
			"of the server for a longer --timeout"}
	case errors.Is(err, context.Canceled):
		return &Error{clientGone, "the request was left"}
	}
	return &Error{failed, "the prediction failed: the server's log says why"}
}
