package inference

import "google.golang.org/protobuf/encoding/protojson"

// ReadStatistics makes a message of statistics as HTTP has them.
func ReadStatistics(text []byte) (*ModelStatisticsResponse, error) {
	m := &ModelStatisticsResponse{}
	return m, protojson.Unmarshal(text, m)
}
