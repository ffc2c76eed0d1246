"""
Encoders of every family in PyTorch, written out by hand, for training steps that Kith's are held
against: here by the tests, and in bench/train.py. Weights have their names in checkpoints, and
`config` is Kith's own (EncoderConfig). As a program it reads a list of trainings from standard input,
and prints the losses of their steps.
"""

import json
import math
import re
import sys

import torch
import torch.nn.functional as F

BERT = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
        "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"]
DISTILBERT = ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
              "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"]
MPNET = ["attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o",
         "attention.LayerNorm", *BERT[5:]]
# One matrix has query, key and value, and one the factor of the block and what it multiplies.
MODERNBERT = [None, None, "attn.Wqkv", "attn.Wo", "attn_norm", "mlp.Wi", "mlp.Wo", "mlp_norm"]
NOMIC = [None, None, "attn.Wqkv", "attn.out_proj", "norm1", "mlp.fc11", "mlp.fc2", "norm2"]
LAYERS = {
    "bert": ("encoder.layer", BERT),
    "distilbert": ("transformer.layer", DISTILBERT),
    "roberta": ("encoder.layer", BERT),
    "xlm-roberta": ("encoder.layer", BERT),
    "mpnet": ("encoder.layer", MPNET),
    "modernbert": ("layers", MODERNBERT),
    "nomic_bert": ("encoder.layers", NOMIC),
}
NORMS = {"modernbert": "embeddings.norm", "nomic_bert": "emb_ln"}
ACTIVATIONS = {"gelu": F.gelu, "silu": F.silu}


def encode(w, config, ids, mask):
    """The means of the last hidden states, of length 1."""
    family, heads, hidden = config["family"], config["heads"], config["hidden"]
    activation = ACTIVATIONS[config["activation"]]
    prenorm = family == "modernbert"
    batch, length = ids.shape
    size = hidden // heads
    places = torch.arange(length)
    apart = places[None, :] - places[:, None]

    def dense(x, name):
        return F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))

    def norm(x, name):
        return F.layer_norm(x, [hidden], w[f"{name}.weight"], w.get(f"{name}.bias"), config["epsilon"])

    def attend(x, at, layer):
        query, key, value, out = at[:4]
        parts = [dense(x, name) for name in (query, key, value)] if query else dense(x, value).chunk(3, -1)
        q, k, v = [part.view(batch, length, heads, size).transpose(1, 2) for part in parts]
        seen_by = bias
        if "rotary" in config:
            theta, window = angles_of(config["rotary"], layer)
            q, k = turned(q, theta), turned(k, theta)
            if window:
                seen_by = bias + (apart.abs() > window // 2) * -1e9
        scores = q @ k.transpose(-1, -2) / math.sqrt(size) + seen_by
        seen = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, hidden)
        return dense(seen, out)

    def turned(x, theta):
        angles = places[:, None] / theta ** (torch.arange(size // 2) / (size // 2))
        a, b = x.chunk(2, -1)
        return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)

    def feed(x, at):
        up, down = at[5:7]
        if family == "modernbert":
            gate, inner = dense(x, up).chunk(2, -1)
            return dense(activation(gate) * inner, down)
        if family == "nomic_bert":
            return dense(activation(dense(x, up.replace("fc11", "fc12"))) * dense(x, up), down)
        return dense(activation(dense(x, up)), down)

    x = F.embedding(ids, w["embeddings.tok_embeddings.weight" if prenorm else "embeddings.word_embeddings.weight"])
    if "embeddings.position_embeddings.weight" in w:
        first = config.get("firstPosition", 0)
        x = x + w["embeddings.position_embeddings.weight"][first : first + length]
    if "embeddings.token_type_embeddings.weight" in w:
        x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, NORMS.get(family, "embeddings.LayerNorm"))
    bias = (1.0 - mask)[:, None, None, :] * -1e9
    if family == "mpnet":
        bias = bias + w["encoder.relative_attention_bias.weight"][buckets(apart)].permute(2, 0, 1)
    stem, names = LAYERS[family]
    for layer in range(config["layers"]):
        at = [name and f"{stem}.{layer}.{name}" for name in names]
        if prenorm:
            x = x + attend(norm(x, at[4]) if layer > 0 else x, at, layer)
            x = x + feed(norm(x, at[7]), at)
        else:
            x = norm(x + attend(x, at, layer), at[4])
            x = norm(x + feed(x, at), at[7])
    if prenorm:
        x = norm(x, "final_norm")
    mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
    return F.normalize(mean, dim=-1)


def angles_of(rotary, layer):
    """The base of a layer's angles, and the window of one that sees its neighborhood only."""
    local = rotary.get("local")
    if local and layer % local["globalEvery"] > 0:
        return local["theta"], local["window"]
    return rotary["theta"], None


def buckets(apart):
    """T5's buckets of distances: 8 of their own on each side, 8 that grow with the logarithm."""
    far = apart.abs()
    shared = 8 + (torch.log(far.clamp(min=1) / 8) / math.log(128 / 8) * 8).long()
    return torch.where(apart > 0, 16, 0) + torch.where(far < 8, far, shared.clamp(max=15))


def adamw(w, weight_decay):
    """AdamW that decays matrices only."""
    plain = [name for name in w if re.search(r"\.bias$|norm|^emb_ln\.", name, re.IGNORECASE)]
    decayed = [w[name] for name in w if name not in plain]
    return torch.optim.AdamW(
        [
            {"params": decayed, "weight_decay": weight_decay},
            {"params": [w[name] for name in plain], "weight_decay": 0.0},
        ]
    )


def step(w, optimizer, settings, rate, queries, vectors, targets):
    """One step over lists of candidates, whose vectors are queries × candidates × dimensions; returns the KL loss."""
    scores = settings["inverseTemperature"] * (vectors @ queries[:, :, None])[:, :, 0]
    loss = F.kl_div(F.log_softmax(scores, -1), targets, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    for group in optimizer.param_groups:
        group["lr"] = rate
    torch.nn.utils.clip_grad_norm_(w.values(), settings["maxGradNorm"])
    optimizer.step()
    return loss.item()


def losses(config, weights, tokens, documents, target, settings):
    """The losses of some steps on one batch; every query has all documents as candidates."""
    w = {name: torch.tensor(data).reshape(shape).requires_grad_(True) for name, shape, data in weights}
    length = max(len(ids) for ids in tokens)
    ids = torch.tensor([row + [0] * (length - len(row)) for row in tokens])
    mask = torch.tensor([[1.0] * len(row) + [0.0] * (length - len(row)) for row in tokens])
    vectors = torch.tensor(documents).reshape(-1, config["hidden"]).expand(len(tokens), -1, -1)
    targets = torch.tensor(target).expand(len(tokens), -1)
    optimizer = adamw(w, settings["weightDecay"])
    return [
        step(w, optimizer, settings, settings["rate"], encode(w, config, ids, mask), vectors, targets)
        for _ in range(settings["steps"])
    ]


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps([losses(**task) for task in json.load(sys.stdin)]))
