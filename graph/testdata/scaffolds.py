"""Which molecules have the same scaffold by RDKit.

    pip install rdkit==2026.9.1
    python scaffolds.py < MOLECULES.smi > scaffolds.json

Those of scaffolds.json are those of molecules.json and notations.py, and a fourth of ESOL and FreeSolv (make
molecules). A number stands for a scaffold; 0 is none. Three are left out: a ring of [13c], whose isotope counts
for RDKit, and two that are written aromatic where RDKit finds no aromatic ring (docs/graphs.md, Notations).
"""

import json
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem.Scaffolds import MurckoScaffold

RDLogger.DisableLog("rdApp.*")

numbers = {"": 0}
pairs = []
for line in sys.stdin:
    smiles = line.split()[0]
    molecule = Chem.MolFromSmiles(smiles)
    if molecule is not None:
        scaffold = MurckoScaffold.MurckoScaffoldSmiles(mol=molecule, includeChirality=False)
        pairs.append([smiles, numbers.setdefault(scaffold, len(numbers))])
print("[" + ",\n".join(map(json.dumps, pairs)) + "]")
