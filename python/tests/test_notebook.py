"""The notebook of the documentation runs."""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "python.ipynb"


def test_notebook() -> None:
    """It runs from start to end. UPDATE=1 keeps what it shows."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300).execute()
    assert notebook.cells[-1].outputs[0].data["text/plain"] == "True"
    if os.environ.get("UPDATE"):
        for cell in notebook.cells:
            cell.metadata.clear()  # the times of the run
        nbformat.write(notebook, NOTEBOOK)


def test_notebook_shows_results() -> None:
    """The file has the outputs of all cells that have some."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    kinds = {kind for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs for kind in out.data}
    assert {"image/png", "text/plain"} <= kinds
