package device

// Feed brings data from the host in batches: each batch while the device computes with the batch before.
type Feed interface {
	// Upload and UploadInts are Device's methods for the tensors of the feed and views of their first elements. From
	// here to Next, no operation may use the tensor.
	Upload(dst *Tensor, src []float64)
	UploadInts(dst *Tensor, src []int32)
	// Next ends a batch: operations that are called after it find the data uploaded before it.
	Next()
}

// Feeder is a device that uploads while it computes.
type Feeder interface {
	// Feed makes a feed into tensors, with memory for a batch that is being uploaded.
	Feed(dst ...*Tensor) Feed
}

// NewFeed makes a feed into tensors of a device. If the device is no Feeder, the feed uploads at once.
func NewFeed(dev Device, dst ...*Tensor) Feed {
	if f, ok := dev.(Feeder); ok {
		return f.Feed(dst...)
	}
	return directFeed{dev}
}

// directFeed is the feed of a device that uploads at once.
type directFeed struct{ Device }

func (directFeed) Next() {}
