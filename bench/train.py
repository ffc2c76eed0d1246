"""
The same training steps in PyTorch: BERT or DistilBERT written out by hand, KL loss over
candidate lists, AdamW. Reads what bench/train.mjs wrote to a folder. For each line on
standard input it does one step, and prints the loss and the milliseconds.
"""

import json
import math
import sys
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
folder = sys.argv[1]
plan = json.load(open(f"{folder}/plan.json"))


def read(name, dtype, shape):
    whole = torch.frombuffer(bytearray(open(f"{folder}/{name}", "rb").read()), dtype=dtype)
    return whole.reshape(shape)


def weights():
    data = read("weights.bin", torch.float32, [-1])
    found, at = {}, 0
    for name, shape in plan["weights"]:
        size = math.prod(shape)
        found[name] = data[at : at + size].reshape(shape).clone().requires_grad_(True)
        at += size
    return found


w = weights()
layers, heads, hidden = plan["layers"], plan["heads"], plan["hidden"]
bert = plan["family"] == "bert"


def dense(x, name):
    return F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])


def norm(x, name):
    return F.layer_norm(x, [hidden], w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)


def encode(ids, mask):
    batch, length = ids.shape
    x = F.embedding(ids, w["embeddings.word_embeddings.weight"])
    x = x + w["embeddings.position_embeddings.weight"][:length]
    if bert:
        x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings.LayerNorm")
    bias = (1.0 - mask)[:, None, None, :] * -1e9

    def split(name):
        return dense(x, name).view(batch, length, heads, hidden // heads).transpose(1, 2)

    for i in range(layers):
        at = f"encoder.layer.{i}." if bert else f"transformer.layer.{i}."
        names = (
            ["attention.self.query", "attention.self.key", "attention.self.value",
             "attention.output.dense", "attention.output.LayerNorm",
             "intermediate.dense", "output.dense", "output.LayerNorm"]
            if bert
            else ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
                  "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"]
        )
        q, k, v, out, norm1, up, down, norm2 = [at + name for name in names]
        q, k, v = split(q), split(k), split(v)
        scores = q @ k.transpose(-1, -2) / math.sqrt(hidden // heads) + bias
        seen = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, hidden)
        x = norm(x + dense(seen, out), norm1)
        x = norm(x + dense(F.gelu(dense(x, up)), down), norm2)
    mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
    return F.normalize(mean, dim=-1)


def decays(name):
    return not (name.endswith(".bias") or "norm" in name.lower())


optimiser = torch.optim.AdamW(
    [
        {"params": [p for n, p in w.items() if decays(n)], "weight_decay": plan["weightDecay"]},
        {"params": [p for n, p in w.items() if not decays(n)], "weight_decay": 0.0},
    ],
)
batch, length, candidates = plan["batch"], plan["length"], plan["candidates"]
ids = read("ids.bin", torch.int32, [-1, batch, length]).long()
masks = read("masks.bin", torch.float32, [-1, batch, length])
documents = read("documents.bin", torch.float32, [-1, hidden])
rows = read("rows.bin", torch.int32, [-1, batch, candidates]).long()
targets = read("targets.bin", torch.float32, [-1, batch, candidates])
print(f"PyTorch {torch.__version__}", flush=True)

for step, line in enumerate(sys.stdin):
    start = time.perf_counter()
    n = step % len(ids)
    queries = encode(ids[n], masks[n])
    vectors = documents[rows[n].reshape(-1)].view(batch, candidates, hidden)
    scores = plan["inverseTemperature"] * (vectors @ queries[:, :, None])[:, :, 0]
    loss = F.kl_div(F.log_softmax(scores, -1), targets[n], reduction="batchmean")
    optimiser.zero_grad()
    loss.backward()
    for group in optimiser.param_groups:
        group["lr"] = plan["rates"][n]
    torch.nn.utils.clip_grad_norm_(w.values(), plan["maxGradNorm"])
    optimiser.step()
    value = loss.item()
    print(json.dumps([value, (time.perf_counter() - start) * 1000]), flush=True)
