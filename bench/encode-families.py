"""
Random checkpoints of encoders, and the same weights in ONNX as PyTorch exports them, for
bench/encode-families.mjs. For each line on standard input, a folder and the settings of a model in
JSON, it writes the checkpoint into the folder and the export beside it, and prints a line.
"""

import json
import sys
import warnings

import torch
import transformers
from transformers import AutoConfig, AutoModel

answers, sys.stdout = sys.stdout, sys.stderr
warnings.simplefilter("ignore")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


class Embeddings(torch.nn.Module):
    """The means of the last hidden states, of length 1."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask[:, :, None].to(hidden.dtype)
        return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def write(folder, config):
    torch.manual_seed(1)
    model = AutoModel.from_config(AutoConfig.for_model(**config)).eval()
    model.save_pretrained(folder)
    ids, mask = torch.full((2, 16), 5), torch.ones(2, 16, dtype=torch.long)
    mask[1, 9:] = 0
    inputs = ["input_ids", "attention_mask"]
    # The exporter that most published files were made with; onnxruntime is faster with its graphs than
    # with those of the newer one.
    torch.onnx.export(
        Embeddings(model),
        (ids, mask),
        f"{folder}.onnx",
        input_names=inputs,
        output_names=["embeddings"],
        dynamic_axes={name: {0: "batch", 1: "length"} for name in inputs} | {"embeddings": {0: "batch"}},
        opset_version=20,
        dynamo=False,
    )


print(f"PyTorch {torch.__version__}, transformers {transformers.__version__}", file=answers, flush=True)
for line in sys.stdin:
    write(**json.loads(line))
    print("written", file=answers, flush=True)
