"""Molecules as RDKit writes them, and the same in other notations.

    pip install rdkit==2026.9.1
    python notations.py > notations.tsv

A line has the usual SMILES, and behind tabs random order, single and double bonds in place of
aromatic ones, hydrogens as atoms, hydrogens as numbers, and atom maps.
"""

import random

from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")
random.seed(1)

SMILES = """
CCO
[Na+].[Cl-]
[2H]OC
C[C@H](N)C(=O)O
c1ccccc1
c1ccccc1-c1ccccc1
c1cc[nH]c1
c1ccoc1
c1ccsc1
c1cc[se]c1
c1ccncc1
c1ccc2[nH]ccc2c1
c1ccc2cccc-2cc1
c1ccc2ccccc2c1
c1cc2cccc3c2c(c1)CC3
C1=Cc2cccc3cccc1c23
c1ccc2c3ccccc3c3ccccc3c2c1
O=c1cc[nH]cc1
O=c1cccccc1
O=C1C=CC(=O)C=C1
O=c1[nH]cnc2nc[nH]c12
Cn1cnc2c1c(=O)n(C)c(=O)n2C
O=c1cc[nH]c(=O)[nH]1
S=c1cc[nH]cc1
C=C1C=CC=C1
C1=CCC=C1
c1cc[cH-]c1
c1cc[cH+]cccc1
C[n+]1ccccc1
C[n+]1ccn(C)c1
[O-][n+]1ccccc1
c1cc[o+]cc1
C1=CC=CC=CC=C1
O=[N+]([O-])c1ccccc1
CS1(=O)=NC=CC=C1
O=S1(=O)C=CC=C1
c1ccc2c(c1)-c1ccccc1-2
c1cc2ccc3cccc4ccc(c1)c2c34
c1cc2cc3ccc(cc4nc(cc5ccc(cc1n2)[nH]5)C=C4)[nH]3
C1=Cc2cc3ccc(cc4nc(cc5ccc(cc1n2)[nH]5)C=C4)[nH]3
CN1CCC[C@H]1c1cccnc1
CC(=O)Oc1ccccc1C(=O)O
Clc1nnc(NN=Cc2ccco2)s1
C1=CC2=CC=CC2=C1
OB1OCc2ccccc12
c1c[nH+]c[nH]1
[B-]1(F)C=CC=CC=1
C1CC2CCC1C2
C12C3C4C1C5C2C3C45
"""


def notations(m):
    kekule = Chem.Mol(m)
    Chem.Kekulize(kekule, clearAromaticFlags=True)
    hydrogens = Chem.AddHs(m)
    Chem.Kekulize(hydrogens, clearAromaticFlags=True)
    maps = Chem.Mol(kekule)
    for a in maps.GetAtoms():
        a.SetAtomMapNum(a.GetIdx() + 1)
    return [
        Chem.MolToSmiles(m, doRandom=True),
        Chem.MolToSmiles(kekule, doRandom=True, kekuleSmiles=True),
        Chem.MolToSmiles(hydrogens, doRandom=True, kekuleSmiles=True),
        Chem.MolToSmiles(m, doRandom=True, allHsExplicit=True),
        Chem.MolToSmiles(maps, doRandom=True, kekuleSmiles=True),
    ]


for smiles in SMILES.split():
    m = Chem.MolFromSmiles(smiles)
    if m is not None:
        print("\t".join([Chem.MolToSmiles(m), *notations(m)]))
