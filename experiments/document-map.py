"""Whether a map of the documents, fitted together with the query adapter, finds more.

  python3 experiments/document-map.py FOLDER [--labels one|all] [--draw 0]

FOLDER is NFCorpus or SciFact (../shared/data/nfcorpus, ../shared/data/scifact) with MiniLM's embeddings, those
of SciFact's training queries as `queries.train.npy` (`kith encode`); needs numpy and scipy. Queries get
x' = (I + A) x and documents d' = (I + B) d, both normalized. The loss is the KL divergence from equal
probability on the labels over all documents (T = 20), plus Λ/2 · ‖A‖² and M/2 · ‖B‖², by L-BFGS with 30
iterations. Λ is the recipe's; M is Λ or 4 Λ, the better one on a held-out fifth of the training queries.
p: paired t-test against search without maps.
"""

import argparse
import hashlib
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.stats import ttest_rel

T = 20
options = argparse.ArgumentParser()
options.add_argument("folder", type=Path)
options.add_argument("--labels", choices=["one", "all"], default="one")
options.add_argument("--draw", type=int, default=0)
options = options.parse_args()
SHRINKAGE = {"one": 200, "all": 50}[options.labels]


def embeddings(name):
    folder = options.folder / "embeddings/all-MiniLM-L6-v2"
    return np.load(folder / f"{name}.npy").astype(np.float32), (folder / f"{name}.ids.txt").read_text().split()


docs, doc_ids = embeddings("docs")
row_of = {id: i for i, id in enumerate(doc_ids)}


def fraction(seed, name):
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:4], "big") / 2**32


def queries(split):
    """Ids, embeddings and judgments of a split."""
    own = split == "train" and (options.folder / "queries.train.jsonl").exists()
    vectors, ids = embeddings("queries.train" if own else "queries")
    judged = {}
    for line in open(options.folder / f"qrels/{split}.tsv").readlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0 and document in row_of:
            judged.setdefault(query, {})[row_of[document]] = int(grade)
    place = {id: i for i, id in enumerate(ids)}
    asked = list(judged)
    return asked, vectors[[place[id] for id in asked]], [judged[id] for id in asked]


def labels(ids, judged):
    """The rows that each query learns: one of its relevant documents (a draw of adapter.mjs), or all."""
    if options.labels == "all":
        return [list(found) for found in judged]
    ordered = [sorted(found, key=lambda row: doc_ids[row]) for found in judged]
    return [[found[int(fraction(options.draw, id) * len(found))]] for id, found in zip(ids, ordered)]


def mapped(change, x):
    y = x + x @ change.T
    length = np.linalg.norm(y, axis=1, keepdims=True)
    return y / length, length


def backward(gradient, unit, length, x):
    """The gradient of a map, through the normalization."""
    return ((gradient - (gradient * unit).sum(1, keepdims=True) * unit) / length).T @ x


def fit(x, rows, shrink_queries, shrink_docs):
    """Maps of queries and documents; a shrinkage of None leaves a side as it is."""
    size = docs.shape[1]
    zero = np.zeros((size, size), np.float32)
    place = [(q, row, 1 / len(found)) for q, found in enumerate(rows) for row in found]
    asked, wanted, share = (np.array(column) for column in zip(*place))
    sides = [one for one in (shrink_queries, shrink_docs) if one is not None]

    def split(numbers):
        parts = iter(numbers.astype(np.float32).reshape(len(sides), size, size))
        return [next(parts) if one is not None else zero for one in (shrink_queries, shrink_docs)]

    def loss(numbers):
        a, b = split(numbers)
        (u, lu), (v, lv) = mapped(a, x), mapped(b, docs)
        total, gu, gv = 0.0, np.zeros_like(u), np.zeros_like(v)
        for start in range(0, len(x), 512):
            block = slice(start, start + 512)
            scores = T * (u[block] @ v.T)
            top = scores.max(1, keepdims=True)
            powers = np.exp(scores - top)
            sums = powers.sum(1, keepdims=True)
            inside = (asked >= start) & (asked < start + 512)
            at = (asked[inside] - start, wanted[inside])
            total += float((top + np.log(sums)).sum()) - float((share[inside] * scores[at]).sum())
            powers /= sums
            powers[at] -= share[inside]
            gu[block] = T * (powers @ v)
            if shrink_docs is not None:
                gv += T * (powers.T @ u[block])
        gradients = []
        for change, shrinkage, parts in ((a, shrink_queries, (gu, u, lu, x)), (b, shrink_docs, (gv, v, lv, docs))):
            if shrinkage is None:
                continue
            total += shrinkage / 2 * float((change * change).sum())
            gradients.append(backward(*parts) + shrinkage * change)
        return total, np.concatenate([one.ravel() for one in gradients]).astype(np.float64)

    start = np.zeros(len(sides) * size * size)
    return split(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 30}).x)


def ndcg(maps, x, judged):
    """nDCG@10 of each query."""
    a, b = maps
    scores = mapped(a, x)[0] @ mapped(b, docs)[0].T
    found = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    discount = 1 / np.log2(np.arange(10) + 2)
    values = []
    for rows, relevant in zip(found, judged):
        gains = np.array([relevant.get(row, 0) for row in rows])
        best = np.sort(list(relevant.values()))[::-1][:10]
        values.append((gains * discount).sum() / (best * discount[: len(best)]).sum())
    return np.array(values)


zero = np.zeros((docs.shape[1], docs.shape[1]), np.float32)
ids, x, judged = queries("train")
rows = labels(ids, judged)
held = np.array([fraction(0, f"part {id}") < 0.2 for id in ids])
learned = [found for found, out in zip(rows, held) if not out]
truth = [found for found, out in zip(judged, held) if out]
_, test_x, test = queries("test")
seen = {row for found in judged for row in found}
apart = np.array([not any(row in seen for row in found) for found in test])
before_held, before = ndcg((zero, zero), x[held], truth), ndcg((zero, zero), test_x, test)
print(f"{options.folder.name}, {options.labels} label(s): held out {before_held.mean():.4f}, test {before.mean():.4f}", flush=True)
for name, others in [("query map", [None]), ("query and document map", [SHRINKAGE, 4 * SHRINKAGE])]:
    tried = {}
    for other in others:
        job = (SHRINKAGE, other)
        tried[job] = ndcg(fit(x[~held], learned, *job), x[held], truth).mean() - before_held.mean()
        print(f"  {name} {job}: held out {tried[job]:+.4f}", flush=True)
    best = max(tried, key=tried.get)
    after = ndcg(fit(x, rows, *best), test_x, test)
    gain = f"{(after - before).mean():+.4f} (p {ttest_rel(after, before).pvalue:.4f})"
    others = f", {apart.sum()} queries apart {(after - before)[apart].mean():+.4f}" if apart.any() else ""
    print(f"{name} {best}: held out {tried[best]:+.4f}, test {gain}{others}", flush=True)
