"""Parquet and Arrow files against pyarrow and polars: python check.py PROGRAM.

Both write the same table in their ways, and PROGRAM must predict of each file what it predicts of the CSV. Both then
read what PROGRAM writes.
"""

import pathlib
import subprocess
import sys
import tempfile

import polars
import pyarrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model"
        run(program, "train", "--data", EXAMPLES / "power.csv", "--target", "energy_output", "--steps", 20,
            "--inducing", 10, "--set", "report=false", "--quiet", "--out", model)
        rows = EXAMPLES / "power-new.csv"
        table, frame = pyarrow.csv.read_csv(rows), polars.read_csv(rows)
        files = {}
        for compression in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
            name = f"pyarrow, {compression}"
            files[name] = folder / f"arrow-{compression}.parquet"
            pyarrow.parquet.write_table(table, files[name], compression=compression, row_group_size=7)
        for version in ("1.0", "2.6"):
            name = f"pyarrow, pages 2, format {version}"
            files[name] = folder / f"pages-{version}.parquet"
            pyarrow.parquet.write_table(table, files[name], version=version, data_page_version="2.0",
                                        use_dictionary=False)
        for compression in ("uncompressed", "snappy", "zstd", "lz4"):
            files[f"polars, {compression}"] = folder / f"polars-{compression}.parquet"
            frame.write_parquet(files[f"polars, {compression}"], compression=compression)
        for compression in ("uncompressed", "lz4", "zstd"):
            name = f"pyarrow, Arrow, {compression}"
            files[name] = folder / f"arrow-{compression}.arrow"
            pyarrow.feather.write_feather(table, files[name], compression=compression, chunksize=7)
            files[f"polars, Arrow, {compression}"] = folder / f"polars-{compression}.arrow"
            frame.write_ipc(files[f"polars, Arrow, {compression}"], compression=compression)
            files[f"polars, stream, {compression}"] = folder / f"polars-{compression}.arrows"
            frame.write_ipc_stream(files[f"polars, stream, {compression}"], compression=compression)
        files["pyarrow, stream"] = folder / "arrow.arrows"
        with pyarrow.ipc.new_stream(files["pyarrow, stream"], table.schema) as stream:
            stream.write_table(table, max_chunksize=7)
        files["polars, JSON lines"] = folder / "polars.jsonl"
        frame.write_ndjson(files["polars, JSON lines"])
        want = run(program, "predict", model, "--quiet", "--data", rows, "--out", "-")
        for name, file in files.items():
            if run(program, "predict", model, "--quiet", "--data", file, "--out", "-") != want:
                sys.exit(f"{name}: its prediction is not that of the CSV")
        print(f"{len(files)} files of pyarrow and polars are predicted as their CSV")

        (folder / "out.csv").write_text(want)
        run(program, "predict", model, "--quiet", "--data", rows, "--out", folder / "out.parquet")
        assert pyarrow.parquet.read_table(folder / "out.parquet").equals(pyarrow.csv.read_csv(folder / "out.csv"))
        assert polars.read_parquet(folder / "out.parquet").equals(polars.read_csv(folder / "out.csv"))
        run(program, "predict", model, "--quiet", "--data", rows, "--out", folder / "out.arrow")
        assert pyarrow.feather.read_table(folder / "out.arrow").equals(pyarrow.csv.read_csv(folder / "out.csv"))
        assert polars.read_ipc(folder / "out.arrow").equals(polars.read_csv(folder / "out.csv"))
        print("pyarrow and polars read the Parquet and Arrow files of a prediction as its CSV")


if __name__ == "__main__":
    main(sys.argv[1])
