"""What fine-tuning the query encoder gains beside a linear adapter, with and without shrinkage to its start.

  python3 experiments/encoder-shrinkage.py FOLDER [--layers 2] [--shrinkage 0,0.1,1] [--epochs 2] [--work FOLDER]

FOLDER is NFCorpus (../shared/data/nfcorpus); needs torch and transformers. MiniLM learns from one label per
training query (draw 0 of adapter.mjs), as a linear adapter does: softmax over all documents with T = 20,
embeddings of documents as they are. The upper layers learn with AdamW (3e-5, linear decay, batches of 32, no
weight decay); the layers below run once per query. Shrinkage a adds a/2 · ‖w − w₀‖² to the loss (L2-SP).

Each training is measured at its last weights, and with their average with the starting weights
(`half`). nDCG@10 on dev chooses; test is printed for the chosen one.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from query_study import ROOT, Study
from transformers import AutoModel, AutoTokenizer

options = argparse.ArgumentParser()
options.add_argument("folder", type=Path)
options.add_argument("--layers", type=int, default=2)
options.add_argument("--shrinkage", default="0,0.1,1")
options.add_argument("--epochs", type=int, default=2)
options.add_argument("--work", type=Path, default=ROOT / "demo-output/experiments/encoder-shrinkage")
options = options.parse_args()
study = Study(options.folder, options.work)
vectors = torch.from_numpy(study.vectors)
row_of = {id: i for i, id in enumerate(study.doc_ids)}
folder = study.minilm()
tokenizer = AutoTokenizer.from_pretrained(str(folder))


class Kept(torch.nn.Module):
    """Takes what the lower layers gave, instead of tokens."""

    def forward(self, inputs_embeds=None, **_):
        return inputs_embeds


def lower_states():
    """What the lower layers give for each query."""
    model = AutoModel.from_pretrained(str(folder), add_pooling_layer=False).eval()
    model.encoder.layer = model.encoder.layer[: len(model.encoder.layer) - options.layers]
    states = {}
    ids = sorted([*study.judgments("train"), *study.held_out], key=lambda id: len(study.queries[id]))
    for start in range(0, len(ids), 64):
        part = ids[start : start + 64]
        texts = [study.queries[id] for id in part]
        tokens = tokenizer(texts, padding=True, truncation=True, max_length=32, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**tokens).last_hidden_state
        for id, rows, mask in zip(part, hidden, tokens["attention_mask"]):
            states[id] = rows[: mask.sum()].clone()
    return states


def upper_layers():
    model = AutoModel.from_pretrained(str(folder), add_pooling_layer=False)
    model.embeddings = Kept()
    model.encoder.layer = model.encoder.layer[len(model.encoder.layer) - options.layers :]
    return model.train()


def encode(model, ids):
    rows = [states[id] for id in ids]
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    mask = torch.tensor([[place < len(row) for place in range(padded.shape[1])] for row in rows]).long()
    hidden = model(inputs_embeds=padded, attention_mask=mask).last_hidden_state
    mask = mask.unsqueeze(-1)
    return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)


def measure(model, name):
    """The run of the held-out queries, and nDCG@10 on dev."""
    model.eval()
    with torch.no_grad():
        parts = [encode(model, study.held_out[i : i + 64]) for i in range(0, len(study.held_out), 64)]
    study.search(name, study.held_out, np.concatenate([part.numpy() for part in parts]))
    model.train()
    return study.mean(name, "dev")


def batches(ids, seed):
    """Batches of queries of similar length, in a random order."""
    generator = np.random.default_rng(seed)
    length = {id: len(study.queries[id]) * (1 + 0.2 * generator.random()) for id in ids}
    ids = sorted(ids, key=length.get)
    parts = [ids[i : i + 32] for i in range(0, len(ids), 32)]
    return [parts[i] for i in generator.permutation(len(parts))]


def train(shrinkage):
    start = time.process_time()
    torch.manual_seed(0)
    model = upper_layers()
    learned = list(model.parameters())
    first = [weight.detach().clone() for weight in learned]
    label_of, _ = study.one_label(0, outside=True)
    steps = [batch for epoch in range(options.epochs) for batch in batches(list(label_of), epoch)]
    optimizer = torch.optim.AdamW(learned, lr=3e-5, weight_decay=0, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / len(steps))
    for step, ids in enumerate(steps):
        target = torch.tensor([row_of[label_of[id]] for id in ids])
        loss = torch.nn.functional.cross_entropy(20 * encode(model, ids) @ vectors.T, target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1)
        if shrinkage > 0:
            for weight, old in zip(learned, first):
                weight.grad.add_(weight.detach() - old, alpha=shrinkage)
        optimizer.step()
        schedule.step()
        if step % 40 == 0:
            print(f"  step {step} of {len(steps)}: loss {loss.item():.3f}", flush=True)
    seconds = time.process_time() - start
    moved = sum((weight - old).pow(2).sum() for weight, old in zip(learned, first)).sqrt().item()
    whole = f"encoder-{shrinkage}"
    found = {whole: measure(model, whole)}
    with torch.no_grad():
        for weight, old in zip(learned, first):
            weight.lerp_(old, 0.5)
    found[f"{whole}-half"] = measure(model, f"{whole}-half")
    print(f"shrinkage {shrinkage}: moved {moved:.2f}, {seconds:.0f} s of CPU time, dev {found}", flush=True)
    return found


states = lower_states()
print(f"dev without training: {measure(upper_layers(), 'start'):.4f}", flush=True)
found = {}
for text in options.shrinkage.split(","):
    found |= train(float(text))
best = max(found, key=found.get)
print(f"chosen on dev: {best}")
for split in ["dev", "test"]:
    study.print_figures(split, ["start", *found] if split == "dev" else ["start", best])
