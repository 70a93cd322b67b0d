package model

import "fmt"

// NotFiniteError reports that the bound became NaN or infinite.
type NotFiniteError struct{ ELL, KL float64 }

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("the bound is not finite (expected log-likelihood %g, KL %g): lower --lr, or "+
		"try --device cpu:f64", e.ELL, e.KL)
}
