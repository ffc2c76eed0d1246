"""Tries in Python what Kith writes: sentence-transformers must load a trained folder and give the
embeddings that `kith encode` gives, and must train on labels; pyarrow must read labels, and Kith
embeddings that pyarrow wrote. In the end it runs try-encoders.py, which does the same for a trained
folder of every family of encoders.

  npm run demo -- --quick            # trains, and leaves what is read here
  python3 scripts/try-python.py      # needs sentence-transformers, datasets, accelerate, pyarrow
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
from datasets import load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.losses import DistillKLDivLoss

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "demo-output/wordnet-part"


def kith(*arguments):
    subprocess.run(["node", ROOT / "packages/cli/bin/kith.js", *arguments, "--quiet"], check=True)


def labels(out, kind):
    files = {"run": "run.trec", "queries": "queries.npy", "docs": "docs.npy"}
    files |= {"qrels": "qrels-sparse/train.tsv"}
    files |= {"corpus": "corpus.jsonl", "query-text": "queries.jsonl"}
    options = [text for name, file in files.items() for text in (f"--{name}", DEMO / file)]
    kith("labels", *options, "--format", kind, "--out", out)


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    model = SentenceTransformer(str(DEMO / "trained"), device="cpu")
    texts = [json.loads(line)["text"] for line in open(DEMO / "queries.jsonl")][:50]
    ours = np.load(DEMO / "trained-queries.npy")[: len(texts)]
    difference = np.abs(model.encode(texts) - ours).max()
    assert difference < 1e-5, difference
    print(f"trained folder: {len(texts)} embeddings, largest difference {difference:.1e}")

    labels(folder / "labels.parquet", "parquet")
    table = pyarrow.parquet.read_table(folder / "labels.parquet").to_pylist()
    assert all(abs(sum(row["labels"]) - 1) < 1e-5 for row in table)
    print(f"labels.parquet: {len(table)} queries, probabilities sum to 1")

    rows = pyarrow.array(ours.tolist(), pyarrow.list_(pyarrow.float32()))
    ids = [f"q{i}" for i in range(len(ours))]
    embeddings = folder / "embeddings.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"id": ids, "embedding": rows}), embeddings)
    kith("convert", "--kind", "embeddings", "--in", embeddings, "--out", folder / "back.npy")
    assert (np.load(folder / "back.npy") == ours).all()
    print("embeddings by pyarrow: read, all numbers equal")

    labels(folder / "labels.jsonl", "sentence-transformers")
    data = load_dataset("json", data_files=str(folder / "labels.jsonl"), split="train", cache_dir=str(folder))
    settings = SentenceTransformerTrainingArguments(
        output_dir=str(folder / "out"), max_steps=2, per_device_train_batch_size=4,
        use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True,
    )
    loss = DistillKLDivLoss(model)
    result = SentenceTransformerTrainer(model=model, args=settings, train_dataset=data, loss=loss).train()
    assert np.isfinite(result.training_loss)
    print(f"labels.jsonl: {len(data)} queries, two steps of sentence-transformers, loss {result.training_loss:.4f}")

subprocess.run([sys.executable, ROOT / "scripts/try-encoders.py"], check=True)
