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
	kind kind
	msg  string
}

func (e *Error) Error() string { return e.msg }

// kind is the form of an error in each protocol.
type kind struct {
	status int
	code   code
}

// code is a status of gRPC.
type code struct {
	number int
	name   string
}

var (
	answered    = kind{http.StatusOK, code{0, "OK"}}
	bad         = kind{http.StatusBadRequest, code{3, "InvalidArgument"}}
	unknown     = kind{http.StatusNotFound, code{5, "NotFound"}}
	denied      = kind{http.StatusUnauthorized, code{16, "Unauthenticated"}}
	forbidden   = kind{http.StatusForbidden, code{7, "PermissionDenied"}}
	wrongMethod = kind{http.StatusMethodNotAllowed, code{12, "Unimplemented"}}
	tooLarge    = kind{http.StatusRequestEntityTooLarge, code{3, "InvalidArgument"}}
	wrongFormat = kind{http.StatusUnsupportedMediaType, code{12, "Unimplemented"}}
	busy        = kind{http.StatusServiceUnavailable, code{8, "ResourceExhausted"}}
	unavailable = kind{http.StatusServiceUnavailable, code{14, "Unavailable"}}
	timedOut    = kind{http.StatusGatewayTimeout, code{4, "DeadlineExceeded"}}
	clientGone  = kind{499, code{1, "Canceled"}} // the client has left; 499 is nginx's word for it
	failed      = kind{http.StatusInternalServerError, code{13, "Internal"}}
)

func badf(format string, args ...any) error { return &Error{bad, fmt.Sprintf(format, args...)} }

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
		return &Error{kind{tooLarge.status, busy.code},
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
