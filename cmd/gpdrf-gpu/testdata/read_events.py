"""Reads a run folder's events by TensorBoard's own reader, and compares them with its other files."""

import csv
import json
import math
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2

run = sys.argv[1]
found = EventAccumulator(run, size_guidance={"scalars": 0, "histograms": 0})
found.Reload()


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1.0, abs(b))  # scalars are single


readings = [json.loads(line) for line in open(run + "/metrics.jsonl")]
for tag, key in [("train/elbo", "elbo"), ("train/ell", "ell"), ("train/kl", "kl"), ("train/lr", "lr"),
                 ("validation/nlpd", "val_nlpd"), ("validation/rmse", "val_rmse")]:
    wanted = [(r["step"], r[key]) for r in readings if key in r]
    got = [(s.step, s.value) for s in found.Scalars(tag)]
    assert wanted and len(got) == len(wanted), (tag, len(got), len(wanted))
    assert all(a == c and close(b, d) for (a, b), (c, d) in zip(got, wanted)), tag

test = json.load(open(run + "/result.json"))["test"]
for key, value in test.items():
    (scalar,) = found.Scalars("test/" + key)
    assert close(scalar.value, value), key

rows = list(csv.DictReader(open(run + "/predictions.csv")))
for column in ["mean", "sd", "pit", "log_density"]:
    values = [float(r[column]) for r in rows]
    histogram = found.Histograms("predictions/" + column)[0].histogram_value
    assert histogram.num == len(rows) == sum(histogram.bucket), column
    assert math.isclose(histogram.min, min(values)) and math.isclose(histogram.max, max(values)), column
    assert math.isclose(histogram.sum, sum(values), abs_tol=1e-9), column

content = {}
for tag in ["experiment", "session_start_info", "session_end_info"]:
    data = found.SummaryMetadata("_hparams_/" + tag).plugin_data
    assert data.plugin_name == "hparams"
    content[tag] = plugin_data_pb2.HParamsPluginData.FromString(data.content)
params = content["session_start_info"].session_start_info.hparams
assert params["steps"].number_value == 40 and params["model"].string_value == "gpdrf", params
assert {i.name for i in content["experiment"].experiment.hparam_infos} == set(params)
assert {m.name.tag for m in content["experiment"].experiment.metric_infos} == {"test/" + k for k in test}
assert content["session_end_info"].session_end_info.status == 1

table = list(csv.DictReader(open(run + "/metrics.csv")))
assert len(table) == len(readings)
for row, reading in zip(table, readings):
    assert {k: float(v) for k, v in row.items() if v} == reading, row
print("the events are those of the run:", len(readings), "readings")
