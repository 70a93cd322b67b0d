"""Gram matrices of random graphs by GraKel, which this project did not write.

    pip install grakel==0.1.11
    python graphgrams.py > graphgrams.json

Each matrix is normalised to a unit diagonal. GraKel's edge histogram counts the labels of edges
alone, so that it gets edges whose label holds those of the ends. Of its graphlet kernel, only the
test for isomorphism is used, on all connected sets of nodes: GraKel 0.1.11 misses some of these
sets, and its counts of all shapes but the first are one too large.
"""

import itertools
import json

import numpy as np
from grakel import (EdgeHistogram, ShortestPath, VertexHistogram, WeisfeilerLehman,
                    WeisfeilerLehmanOptimalAssignment)
from grakel.kernels._isomorphism import Graph as Shape

rng = np.random.default_rng(7)


def random_graph():
    n = int(rng.integers(4, 12))
    labels = [str(rng.choice(["C", "N", "O"])) for _ in range(n)]
    edges = {(a, b): str(rng.choice(["-", "="]))
             for a in range(n) for b in range(a + 1, n) if rng.random() < 2.2 / n}
    if not edges:
        edges[(0, 1)] = "-"
    return labels, edges


graphs = [random_graph() for _ in range(25)]


def grakel_graph(labels, edges):
    both = {}
    for (a, b), bond in edges.items():
        ends = sorted([labels[a], labels[b]])
        both[(a, b)] = both[(b, a)] = ends[0] + bond + ends[1]
    adjacency = np.zeros((len(labels), len(labels)), dtype=int)
    for a, b in both:
        adjacency[a, b] = 1
    return [adjacency, dict(enumerate(labels)), both]


given = [grakel_graph(*g) for g in graphs]


def graphlets(k):
    shapes, counts = [], np.zeros((len(graphs), 20))
    for i, (labels, edges) in enumerate(graphs):
        adjacency = grakel_graph(labels, edges)[0]
        for nodes in itertools.combinations(range(len(labels)), k):
            part = adjacency[np.ix_(nodes, nodes)]
            if not np.all(np.linalg.matrix_power(part + np.eye(k, dtype=int), k)):
                continue  # not connected
            part = Shape(k, zip(*np.where(part == 1)))
            for at, shape in enumerate(shapes):
                if shape.isomorphic(part):
                    break
            else:
                at = len(shapes)
                shapes.append(part)
            counts[i, at] += 1
    return counts @ counts.T


def assignment(h):
    return WeisfeilerLehmanOptimalAssignment(n_iter=h, sparse=True).fit_transform(given)


def normalised(k):
    root = np.sqrt(np.diag(k))
    root[root == 0] = 1
    return (k / np.outer(root, root)).tolist()


print(json.dumps({
    "graphs": [{"nodes": labels, "edges": [[a, b, bond] for (a, b), bond in edges.items()]}
               for labels, edges in graphs],
    "grams": {
        "vertices": normalised(VertexHistogram().fit_transform(given)),
        "edges": normalised(EdgeHistogram().fit_transform(given)),
        "wl:1": normalised(WeisfeilerLehman(n_iter=1).fit_transform(given)),
        "wl:4": normalised(WeisfeilerLehman(n_iter=4).fit_transform(given)),
        "wl:1/min": normalised(assignment(1)),
        "wl:3/min": normalised(assignment(3)),
        "paths:1000": normalised(ShortestPath().fit_transform(given)),
        "graphlets:3": normalised(graphlets(3)),
        "graphlets:4": normalised(graphlets(4)),
    },
}))
