"""Real clients against a real server: python check.py triton|kserve PROGRAM.

It trains two small models with PROGRAM, predicts a file by `predict`, asks `serve` for the same rows, and compares
every number bit by bit. The clients are those of PyPI; two processes, since both bring the protocol's messages.
"""

import asyncio
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
MOMENTS = {"mean": "mean", "sd": "sd", "var_aleatoric": "var_aleatoric", "var_epistemic": "var_epistemic",
           "distance": "distance"}
QUANTILES = ["q05", "q25", "q50", "q75", "q95"]
compared = 0


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compare(what, got, want):
    """got is an array of the server, want the cells that predict wrote."""
    global compared
    got = np.asarray(got, dtype=np.float64).reshape(-1)
    want = np.array([float(cell) for cell in want])
    if got.shape != want.shape or not np.array_equal(got.view(np.int64), want.view(np.int64)):
        sys.exit(f"{what}: the server says {got[:3]}, predict {want[:3]}")
    compared += len(want)


def compare_power(what, outputs, rows):
    for name, column in MOMENTS.items():
        compare(f"{what} {name}", outputs[name], [row[column] for row in rows])
    compare(f"{what} quantiles", outputs["quantiles"], [row[q] for row in rows for q in QUANTILES])


def compare_genes(what, outputs, rows):
    labels = [label.decode() if isinstance(label, bytes) else label
              for label in np.asarray(outputs["label"], dtype=object).reshape(-1)]
    if labels != [row["label"] for row in rows]:
        sys.exit(f"{what}: the server says {labels[:3]}, predict {rows[0]['label']}")
    classes = [column for column in rows[0] if column.startswith("p_")]
    compare(f"{what} probabilities", outputs["probabilities"], [row[c] for row in rows for c in classes])
    compare(f"{what} entropy", outputs["entropy"], [row["entropy"] for row in rows])


def triton(http, grpc, power, power_rows, genes, gene_rows):
    import tritonclient.grpc
    import tritonclient.http

    for module, address in ((tritonclient.http, http), (tritonclient.grpc, grpc)):
        name = module.__name__
        client = module.InferenceServerClient(address)
        assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("power"), name
        metadata = client.get_model_metadata("power", **({"as_json": True} if "grpc" in name else {}))
        assert metadata["inputs"][0]["name"] == "inputs", metadata
        sequence = np.array(genes, dtype=object)
        ways = [{"binary_data": True}, {"binary_data": False}] if "http" in name else [{}]
        for way in ways:
            for kind, array in (("FP64", power), ("FP32", power.astype(np.float32))):
                x = module.InferInput("inputs", list(array.shape), kind)
                x.set_data_from_numpy(array, **way)
                names = [*MOMENTS, "quantiles"]
                wanted = [module.InferRequestedOutput(output, **way) for output in names]
                answer = client.infer("power", [x], outputs=wanted, request_id="7")
                outputs = {output: answer.as_numpy(output) for output in names}
                compare_power(f"{name} {kind} {way}", outputs, power_rows)
            x = module.InferInput("sequence", [len(genes)], "BYTES")
            x.set_data_from_numpy(sequence, **way)
            answer = client.infer("genes", [x])
            outputs = {o: answer.as_numpy(o) for o in ("label", "probabilities", "entropy")}
            compare_genes(f"{name} {way}", outputs, gene_rows)
        x = module.InferInput("inputs", [0, power.shape[1]], "INT32")
        x.set_data_from_numpy(np.zeros((0, power.shape[1]), np.int32))
        assert client.infer("power", [x]).as_numpy("mean").shape == (0, 1), name
        client.unload_model("power")
        assert not client.is_model_ready("power"), name
        client.load_model("power")
        assert client.is_model_ready("power") and "READY" in str(client.get_model_repository_index()), name
        try:
            client.infer("nothing", [x])
            sys.exit(f"{name}: a model that is not there has answered")
        except tritonclient.utils.InferenceServerException as error:
            assert 'no model "nothing"' in str(error), error


def kserve(http, grpc, power, power_rows, genes, gene_rows):
    from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest, RESTConfig

    def requests(**way):
        for kind, array in (("FP64", power), ("FP32", power.astype(np.float32))):
            x = InferInput("inputs", list(array.shape), kind)
            x.set_data_from_numpy(array, **way)
            yield f"{kind} {way}", compare_power, power_rows, InferRequest("power", [x])
        x = InferInput("sequence", [len(genes)], "BYTES")
        x.set_data_from_numpy(np.array(genes, dtype=object), **way)
        yield f"BYTES {way}", compare_genes, gene_rows, InferRequest("genes", [x])

    async def ask():
        rest = InferenceRESTClient(RESTConfig(protocol="v2"))
        base = f"http://{http}"
        assert await rest.is_server_live(base) and await rest.is_server_ready(base)
        assert await rest.is_model_ready(base, "power")
        rpc = InferenceGRPCClient(grpc)
        assert await rpc.is_server_live() and await rpc.is_server_ready() and await rpc.is_model_ready("power")
        for binary in (True, False):
            for what, check, rows, request in requests(binary_data=binary):
                answer = await rest.infer(base, request, model_name=request.model_name)
                check(f"kserve REST {what}", {o.name: o.as_numpy() for o in answer.outputs}, rows)
                answer = await rpc.infer(request)
                check(f"kserve gRPC {what}", {o.name: o.as_numpy() for o in answer.outputs}, rows)
        v1 = InferenceRESTClient(RESTConfig(protocol="v1"))
        answer = await v1.infer(base, {"instances": power.tolist()}, model_name="power")
        compare("kserve V1 mean", [row["mean"] for row in answer["predictions"]], [row["mean"] for row in power_rows])

    asyncio.run(ask())


def main():
    client, program = {"triton": triton, "kserve": kserve}[sys.argv[1]], str(pathlib.Path(sys.argv[2]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train = ("train", "--quiet", "--device", "cpu:f32", "--set", "eval-samples=20", "--steps", "20")
        run(program, *train, "--data", EXAMPLES / "power.csv", "--target", "energy_output", "--out", folder / "power")
        run(program, *train, "--data", EXAMPLES / "dna.fasta", "--kernel", "spectrum:3", "--out", folder / "genes")
        rows = table(EXAMPLES / "power-new.csv")[:100]
        columns = ["temperature", "exhaust_vacuum", "ambient_pressure", "relative_humidity"]
        # values of single precision, so that FP32 and FP64 are the same rows
        power = np.array([[float(row[c]) for c in columns] for row in rows], dtype=np.float32).astype(np.float64)
        with open(folder / "power.csv", "w") as file:
            file.write(",".join(columns) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in power.tolist()))
        run(program, "predict", folder / "power", "--data", folder / "power.csv", "--out", folder / "power-out.csv")
        fasta = EXAMPLES / "dna-test.fasta"
        run(program, "predict", folder / "genes", "--data", fasta, "--out", folder / "genes-out.csv")
        genes = [record.split("\n", 1)[1].replace("\n", "") for record in fasta.read_text().split(">")[1:]]
        server = subprocess.Popen(
            [program, "serve", folder / "power", folder / "genes", "--listen", "127.0.0.1:0",
             "--grpc-listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True)
        try:
            for line in server.stderr:
                if found := re.search(r"msg=serving http=(\S+) grpc=(\S+)", line):
                    break
            else:
                sys.exit("the server did not start")
            client(*found.groups(), power, table(folder / "power-out.csv"), genes, table(folder / "genes-out.csv"))
        finally:
            server.terminate()
            rest = server.stderr.read()
        if server.wait(timeout=30) != 0:
            sys.exit("the server failed:\n" + rest[-2000:])
    print(f"{sys.argv[1]}: {compared} numbers are those of predict, bit by bit")


main()
