"""
The same training steps in PyTorch. Reads what bench/train.mjs wrote to a folder. For each line on
standard input it does one step, and prints the loss and the milliseconds.
"""

import json
import math
import sys
import time
from pathlib import Path

import torch

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).parent.parent / "packages/train/test"))
from torch_encoder import adamw, encode, step

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
hidden = plan["config"]["hidden"]
optimizer = adamw(w, plan["weightDecay"])
batch, length, candidates = plan["batch"], plan["length"], plan["candidates"]
ids = read("ids.bin", torch.int32, [-1, batch, length]).long()
masks = read("masks.bin", torch.float32, [-1, batch, length])
documents = read("documents.bin", torch.float32, [-1, hidden])
rows = read("rows.bin", torch.int32, [-1, batch, candidates]).long()
targets = read("targets.bin", torch.float32, [-1, batch, candidates])
print(f"PyTorch {torch.__version__}", flush=True)

for number, line in enumerate(sys.stdin):
    start = time.perf_counter()
    n = number % len(ids)
    queries = encode(w, plan["config"], ids[n], masks[n])
    vectors = documents[rows[n].reshape(-1)].view(batch, candidates, hidden)
    value = step(w, optimizer, plan, plan["rates"][n], queries, vectors, targets[n])
    print(json.dumps([value, (time.perf_counter() - start) * 1000]), flush=True)
