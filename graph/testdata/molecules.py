"""Molecules as RDKit reads them, inner products of its fingerprints, and Tanimoto similarities.

    pip install rdkit==2026.9.1
    python molecules.py > molecules.json

Fingerprints get the kinds of atoms that the maps of this project have: label, degree, and for
circular ones whether the atom is in a ring. Molecules with a lone atom are not compared by them:
RDKit looks at it once, whatever the radius.
"""

import json
import zlib

from rdkit import Chem, DataStructs, RDLogger
from rdkit.Chem import rdFingerprintGenerator as fingerprints

RDLogger.DisableLog("rdApp.*")

SMILES = """
C
CCO
[Na+].[Cl-]
[2H]O[2H]
[13CH4]
C#N
[C-]#[O+]
O=C=O
F/C=C/F
F/C=C\\F
N[C@@H](C)C(=O)O
N[C@H](C)C(=O)[O-]
OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O
c1ccccc1
c1ccccc1-c1ccccc1
C1=CC=CC=C1
c1cc[nH]c1
c1ccncc1
c1ccoc1
c1ccsc1
Oc1ccccc1C(=O)O
CC(=O)Oc1ccccc1C(=O)O
CN1C=NC2=C1C(=O)N(C(=O)N2C)C
Cn1cnc2c1c(=O)n(C)c(=O)n2C
CC(C)Cc1ccc(cc1)C(C)C(=O)O
CC(=O)Nc1ccc(O)cc1
CN1CCC[C@H]1c1cccnc1
C1CC2CCC1C2
C1CC12CC2
C12C3C4C1C5C2C3C45
C%10CCCC%10
C1CCC%11CC1CC%11
c1ccc2ccccc2c1
c1ccc2c(c1)ccc1ccccc12
[O-][N+](=O)c1ccccc1
CS(=O)(=O)N
CP(=O)(O)O
ClC(Cl)(Cl)Cl
BrCCBr
FC(F)(F)c1ccccc1
CC(C)(C)OC(=O)N1CCNCC1
CN(C)CCOC(c1ccccc1)c1ccccc1
CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C
CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O
OC(=O)CCCCC1SCC2NC(=O)NC12
[NH4+].[OH-]
[Fe+2].[O-]S(=O)(=O)[O-]
[Cu++].[Cl-].[Cl-]
C[Si](C)(C)C
OB(O)c1ccccc1
C[Se]C
c1cc[se]c1
[H][H]
[H]C([H])([H])O
*C(=O)O
C=CC=C
C/C=C/C=C/C
N#Cc1ccccc1
[N-]=[N+]=NCC
CC(=O)N[C@@H](CS)C(=O)O
O=c1[nH]cnc2[nH]cnc12
Nc1ncnc2c1ncn2[C@@H]1O[C@H](CO)[C@@H](O)[C@H]1O
C1=CC2=C(C=C1)C(=O)C1=CC=CC=C1C2=O
CCCCCCCCCCCCCCCCCC(=O)OCC(O)CO
C(C(C(C)C)(C)C)(C)(C)C
C1(CC1)C1CC1
C=1CCCCC=1
C1CCCCC=1
[CH3:1][CH2:2][OH:3]
[C@H](F)(Cl)Br
[Pt@SP1](F)(Cl)(Br)I
[13c]1ccccc1
C[n+]1ccccc1
c1cc2cccc3c2c(c1)CC3
""".split()

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
print(json.dumps({
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
}))
