"""Molecules as RDKit reads them, inner products of its fingerprints, and Tanimoto similarities.

    pip install rdkit==2026.9.1
    python molecules.py

It completes the molecules of molecules.json, of which a new one needs its "smiles" alone.

Fingerprints get the kinds of atoms that the maps of this project have: label, degree, and for
circular ones whether the atom is in a ring. Molecules with a lone atom are not compared by them:
RDKit looks at it once, whatever the radius.
"""

import json
import zlib
from pathlib import Path

from rdkit import Chem, DataStructs, RDLogger
from rdkit.Chem import rdFingerprintGenerator as fingerprints

RDLogger.DisableLog("rdApp.*")

FILE = Path(__file__).with_name("molecules.json")
SMILES = [m["smiles"] for m in json.loads(FILE.read_text())["molecules"]]

BONDS = {Chem.BondType.SINGLE: "-", Chem.BondType.DOUBLE: "=", Chem.BondType.TRIPLE: "#",
         Chem.BondType.QUADRUPLE: "$", Chem.BondType.AROMATIC: ":"}


def label(atom):
    isotope = str(atom.GetIsotope() or "")
    symbol = atom.GetSymbol()
    if atom.GetIsAromatic():
        symbol = symbol.lower() + ("H" if atom.GetNumExplicitHs() else "")
    charge = atom.GetFormalCharge()
    sign = {0: "", 1: "+", -1: "-"}.get(charge, f"{charge:+d}")
    return isotope + symbol + sign


def read(smiles):
    parameters = Chem.SmilesParserParams()
    parameters.sanitize = False
    parameters.removeHs = False
    molecule = Chem.MolFromSmiles(smiles, parameters)
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule


def products(rows):
    """Of each row with all."""
    rows = [row.GetNonzeroElements() for row in rows]
    return [[sum(n * other.get(key, 0) for key, n in row.items()) for other in rows]
            for row in rows]


def tanimoto(rows):
    """Of each row with those up to itself."""
    return [DataStructs.BulkTanimotoSimilarity(row, rows[:i + 1]) for i, row in enumerate(rows)]


def circular(molecules, radius):
    make = fingerprints.GetMorganGenerator(radius=radius, includeRedundantEnvironments=True)

    def number(kind):  # RDKit's hash of small numbers collides
        return zlib.crc32(repr(kind).encode())

    return [make.GetSparseCountFingerprint(
        m, customAtomInvariants=[number((label(a), a.GetDegree(), a.IsInRing())) for a in m.GetAtoms()],
        customBondInvariants=[number(str(b.GetBondType())) for b in m.GetBonds()]) for m in molecules]


def pairs(molecules, most):
    make = fingerprints.GetAtomPairGenerator(minDistance=1, maxDistance=most)
    kinds = {}

    def number(kind):  # it keeps nine bits
        return kinds.setdefault(kind, len(kinds) + 1)

    return [make.GetSparseCountFingerprint(
        m, customAtomInvariants=[number((label(a), a.GetDegree())) for a in m.GetAtoms()]) for m in molecules]


molecules = [read(s) for s in SMILES]
compared = [m for m in molecules if all(a.GetDegree() for a in m.GetAtoms())]
FILE.write_text(json.dumps({
    "molecules": [{
        "smiles": s,
        "nodes": [label(a) for a in m.GetAtoms()],
        "edges": sorted([*sorted([b.GetBeginAtomIdx(), b.GetEndAtomIdx()]), BONDS[b.GetBondType()]]
                        for b in m.GetBonds()),
    } for s, m in zip(SMILES, molecules)],
    "compared": [s for s, m in zip(SMILES, molecules) if m in compared],
    "products": {
        "circular:0": products(circular(compared, 0)),
        "circular:2": products(circular(compared, 2)),
        "atompairs:10": products(pairs(compared, 10)),
    },
    "tanimoto": {
        "circular:2": tanimoto(circular(compared, 2)),
        "atompairs:10": tanimoto(pairs(compared, 10)),
    },
}) + "\n")
