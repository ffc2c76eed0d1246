"""Holds the encoder package against Hugging Face's libraries, which the tests do without: makes
random checkpoints of every family, and compares embeddings, training steps and scores with those
of PyTorch, and loads what was trained in sentence-transformers.
`--tokenizers` trains small tokenizers instead, and writes them with the ids of hard texts to
packages/encoder/test/fixtures/tokenizers.json, for the tests.

  python3 scripts/try-encoders.py --tokenizers   # needs tokenizers, sentencepiece
  python3 scripts/try-encoders.py                # needs transformers, sentence-transformers
"""

import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIXTURE = ROOT / "packages/encoder/test/fixtures/tokenizers.json"

CORPUS = [
    "Dense retrieval finds the neighbors of a query among millions of documents.",
    "The query's nearest neighbors don't always hold what it asks; they're ranked again.",
    "Ein Naïve Bayes-Klassifikator für Wörter, Überraschung inbegriffen: café, déjà vu.",
    "近傍検索は文書をベクトルで探す。検索の検索。",
    "быстрый поиск документов по запросу",
    "numbers 1 22 333 4444 and (brackets), punctuation!? tabs\tand  two spaces",
]

TEXTS = [
    "",
    " ",
    "dense retrieval",
    "  leading and trailing  ",
    "two  spaces   three\t\ttabs\n\nlines\r\n",
    "Naïve café — déjà vu, ÜBERRASCHUNG",
    "Cafe\u0301 nai\u0308ve \u0301x",
    "近傍検索 検索x検索",
    "ﬁne ｆｕｌｌｗｉｄｔｈ ½ ﾊﾟ ① ㌔ …",
    "👩‍👩‍👧 🇫🇷 👍🏽 emoji",
    "it's they're DON'T we'll I'd 'quoted'",
    "<s> a </s> <mask>b <pad> [CLS]",
    "zero\u200bwidth\u200djoin \ufeffbom soft\u00adhyphen nb\u00a0space",
    "мир ﷽ مرحبا नमस्ते",
    "a" * 300,
    "supercalifragilistic" * 8,
    "control \u0001\u0007 chars \u0085 next",
]


def byte_level(prefix_space, bos, eos, pad, unk, mask):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=[bos, pad, eos, unk, mask],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS * 2, trainer)
    ids = {token: tokenizer.token_to_id(token) for token in (bos, eos)}
    tokenizer.post_processor = processors.RobertaProcessing(
        (eos, ids[eos]), (bos, ids[bos]), add_prefix_space=prefix_space, trim_offsets=True
    )
    return tokenizer


def unigram(rules, replace_spaces, split):
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    with tempfile.TemporaryDirectory() as folder:
        more = {}
        if rules == "small":
            table = Path(folder) / "rules.tsv"
            rows = [("FF46", "66"), ("FB01", "66 69"), ("BD", "31 2044 32"), ("9", "20"), ("A", "20"), ("A0", "20")]
            rows += [("65 301", "E9"), ("FF8A FF9F", "30D1"), ("FF8A", "30CF"), ("200B", "20"), ("FEFF", "20"), ("85", "20"), ("1", ""), ("2026", "2E 2E 2E")]
            table.write_text("".join(f"{a}\t{b}\n" for a, b in rows))
            more = {"normalization_rule_tsv": str(table)}
        else:
            more = {"normalization_rule_name": rules}
        trained = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS * 2), model_writer=trained, vocab_size=170,
            model_type="unigram", minloglevel=2, hard_vocab_limit=False, **more,
        )
    model = sentencepiece_model_pb2.ModelProto.FromString(trained.getvalue())
    pieces = [(piece.piece, piece.score) for piece in model.pieces][3:]
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces, ("<mask>", 0.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    steps = [normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)]
    if replace_spaces:
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    tokenizer.normalizer = normalizers.Sequence(steps) if replace_spaces else steps[0]
    space = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), space]) if split else space
    ends = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ends
    )
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    return tokenizer


def word_piece():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(CORPUS * 2, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def tokenizers():
    return {
        "WordPiece": word_piece(),
        "byte-level BPE": byte_level(False, "<s>", "</s>", "<pad>", "<unk>", "<mask>"),
        "byte-level BPE with a space before": byte_level(True, "<s>", "</s>", "<pad>", "<unk>", "<mask>"),
        "Unigram": unigram("small", False, True),
        "Unigram without splitting": unigram("small", True, False),
    }


def write_fixture():
    kinds = tokenizers()
    recorded = {}
    for name, tokenizer in kinds.items():
        pairs = [["a query", text] for text in TEXTS[2:9]]
        encoded = [tokenizer.encode(a, b) for a, b in pairs]
        recorded[name] = {
            "description": json.loads(tokenizer.to_str()),
            "ids": [tokenizer.encode(text).ids for text in TEXTS],
            "pairs": [{"pair": pair, "ids": e.ids, "types": e.type_ids} for pair, e in zip(pairs, encoded)],
        }
    FIXTURE.write_text(json.dumps({"texts": TEXTS, "tokenizers": recorded}, ensure_ascii=True) + "\n")
    print(f"{FIXTURE}: {FIXTURE.stat().st_size} bytes")



def save(folder, model, tokenizer, pooling="mean"):
    """A folder as sentence-transformers has it, with prefixes."""
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    kinds = ["Transformer", "Pooling"]
    modules = [{"idx": i, "name": str(i), "path": f"{i}_{kind}" if i else "", "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(kinds)]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    modes = {"cls_token": pooling == "cls", "mean_tokens": pooling == "mean"}
    (folder / "1_Pooling/config.json").write_text(
        json.dumps({"word_embedding_dimension": model.config.hidden_size} | {f"pooling_mode_{k}": v for k, v in modes.items()})
    )
    prompts = {"query": "query: ", "document": "passage: "}
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))


CROSS_ENCODERS = ["BERT", "RoBERTa", "XLM-RoBERTa"]
SMALL = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}


def configs(size):
    """The families, with their tokenizer."""
    from transformers import (
        BertConfig, DistilBertConfig, ModernBertConfig, MPNetConfig, NomicBertConfig, RobertaConfig, XLMRobertaConfig
    )

    after = {"vocab_size": size, "max_position_embeddings": 130, "pad_token_id": 1, "type_vocab_size": 1, **SMALL}
    yield "BERT", "WordPiece", BertConfig(vocab_size=size, max_position_embeddings=128, **SMALL)
    yield "DistilBERT", "WordPiece", DistilBertConfig(
        vocab_size=size, max_position_embeddings=128, dim=32, n_layers=3, n_heads=4, hidden_dim=48
    )
    yield "RoBERTa", "byte-level BPE", RobertaConfig(**after)
    yield "XLM-RoBERTa", "Unigram", XLMRobertaConfig(**after)
    yield "MPNet", "byte-level BPE", MPNetConfig(vocab_size=size, max_position_embeddings=130, pad_token_id=1, **SMALL)
    ends = {"pad_token_id": 1, "bos_token_id": 0, "cls_token_id": 0, "eos_token_id": 2, "sep_token_id": 2}
    small = {**SMALL, "num_hidden_layers": 5}
    yield "ModernBERT", "byte-level BPE", ModernBertConfig(
        vocab_size=size, max_position_embeddings=128, local_attention=12, global_attn_every_n_layers=3, **ends, **small
    )
    yield "nomic-embed", "WordPiece", NomicBertConfig(vocab_size=size, max_position_embeddings=128, **SMALL)


def randomize(model):
    """Weights large enough that every step matters."""
    import torch

    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.uniform_(-0.4, 0.4)
            if weight.dim() == 1 and "norm" in name.lower() and name.endswith("weight"):
                weight.add_(1)
    return model.eval()


def compare_embeddings(folder):
    import numpy as np
    import torch
    from transformers import AutoModel

    kinds = tokenizers()
    for name, kind, config in configs(500):
        torch.manual_seed(1)
        model = randomize(AutoModel.from_config(config, attn_implementation="eager"))
        place = folder / name
        place.mkdir()
        save(place, model, kinds[kind])
        texts = folder / "texts.jsonl"
        # A padding token inside a text takes no position in RoBERTa's code; here it takes one, as any token.
        wanted = [text for text in TEXTS if text.strip() and "<pad>" not in text]
        texts.write_text("".join(json.dumps({"_id": str(i), "text": text}) + "\n" for i, text in enumerate(wanted)))
        for role, prefix in [("query", "query: "), ("document", "passage: ")]:
            out = folder / f"{name} {role}.npy"
            options = ["--model", place, "--input", texts, "--role", role, "--out", out, "--quiet"]
            subprocess.run(["node", ROOT / "packages/cli/bin/kith.js", "encode", *options], check=True)
            ours = np.load(out)
            tokenizer = kinds[kind]
            tokenizer.enable_truncation(128)
            tokenizer.enable_padding(pad_id=getattr(config, "pad_token_id", 0) or 0)
            batch = tokenizer.encode_batch([prefix + text for text in wanted])
            ids = torch.tensor([e.ids for e in batch])
            mask = torch.tensor([e.attention_mask for e in batch])
            with torch.no_grad():
                hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
            theirs = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            difference = np.abs(ours - theirs.numpy()).max()
            assert difference < 1e-5, (name, role, difference)
        print(f"{name}: {len(wanted)} texts as queries and documents, largest difference {difference:.1e}")


SCORE = """
import { loadCrossEncoder } from './packages/encoder/dist/index.js'
const [folder, query, texts] = JSON.parse(process.argv[1])
const model = await loadCrossEncoder(folder, { threads: 1 })
console.log(JSON.stringify([...(await model.crossEncode(query, texts)).scores]))
await model.close()
"""


def compare_scores(folder):
    import numpy as np
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import AutoModelForSequenceClassification, PreTrainedTokenizerFast

    kinds = tokenizers()
    for name, kind, config in configs(500):
        if name not in CROSS_ENCODERS:
            continue
        torch.manual_seed(2)
        config.num_labels = 1
        model = randomize(AutoModelForSequenceClassification.from_config(config, attn_implementation="eager"))
        place = folder / f"{name} scores"
        model.save_pretrained(place)
        special = {"pad_token": "<pad>"}
        if kind == "WordPiece":
            special = {"pad_token": "[PAD]", "model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}
        PreTrainedTokenizerFast(tokenizer_object=kinds[kind], model_max_length=128, **special).save_pretrained(place)
        query, texts = "a query, naïve", [text for text in TEXTS if "<pad>" not in text]
        arguments = ["--input-type=module", "-e", SCORE, json.dumps([str(place), query, texts])]
        ours = json.loads(subprocess.run(["node", *arguments], cwd=ROOT, check=True, capture_output=True).stdout)
        theirs = CrossEncoder(str(place), device="cpu", max_length=128, activation_fn=torch.nn.Identity()).predict(
            [(query, text) for text in texts]
        )
        difference = np.abs(np.array(ours) - theirs).max()
        assert difference < 1e-5, (name, difference)
        print(f"{name} as a cross-encoder: {len(texts)} pairs, largest difference {difference:.1e}")


TRAIN = """
import { adamw, openEncoderModel, Optimizer, TrainingStep } from '@kith/train'
const [folder, texts, memory, { rate, steps, weightDecay, ...settings }] = JSON.parse(process.argv[1])
const model = await openEncoderModel(folder)
const { dimensions } = model
const options = { loss: 'kl', margin: 1, learnTemperature: false, dropout: 0, seed: 0, threads: 1 }
const step = await TrainingStep.open(model, { ...options, ...settings })
const moments = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay }
const optimizer = new Optimizer(step.weights, adamw, moments)
const rows = Uint32Array.from({ length: memory.length / dimensions }, (_, i) => i)
const gather = (rows, into) => {
  rows.forEach((row, i) => into.set(memory.slice(row * dimensions, (row + 1) * dimensions), i * dimensions))
  return into
}
const documents = { rows: rows.length, dimensions, memory: Float32Array.from(memory), gather }
const lists = texts.map(() => ({ rows, target: Float64Array.of(0.75, 0.25) }))
const losses = []
for (let number = 0; number < steps; number++) {
  // With the rows of the table as they are now.
  const queries = await model.prepare(texts.map((text, i) => ({ id: `${i}`, text })))
  const at = { number, queriesOfStep: texts.length, first: true }
  losses.push((await step.run(queries, lists, documents, at)) / texts.length)
  const factor = Math.min(1, settings.maxGradNorm / step.gradients.norm())
  optimizer.update(step.gradients, factor, rate, number + 1)
}
await model.save(`${folder} trained`)
console.log(JSON.stringify(losses))
process.exit(0)
"""


def compare_training(folder):
    """Ten steps of AdamW from the same weights, then the saved folder in sentence-transformers."""
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer
    from transformers import AutoModel

    texts = [TEXTS[2], TEXTS[5], TEXTS[7], "neighbors of the query again and again"]
    settings = {"rate": 1e-3, "steps": 10, "weightDecay": 0.01, "maxGradNorm": 1, "inverseTemperature": 5}
    documents = 0.2 * torch.randn(6, SMALL["hidden_size"], generator=torch.Generator().manual_seed(3))
    target = torch.tensor([[0.75, 0.25, 0, 0, 0, 0]]).expand(len(texts), -1)
    for name, _, _ in configs(500):
        place = folder / name
        arguments = [str(place), texts, documents.flatten().tolist(), settings]
        command = ["node", "--input-type=module", "-e", TRAIN, json.dumps(arguments)]
        ours = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
        model = AutoModel.from_pretrained(place, attn_implementation="eager").eval()
        weights = dict(model.named_parameters())
        plain = [n for n in weights if n.endswith(".bias") or "norm" in n.lower()]
        optimizer = torch.optim.AdamW(
            [
                {"params": [weights[n] for n in weights if n not in plain], "weight_decay": settings["weightDecay"]},
                {"params": [weights[n] for n in plain], "weight_decay": 0.0},
            ],
            lr=settings["rate"],
        )
        tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
        tokenizer.enable_padding(pad_id=model.config.pad_token_id)
        batch = tokenizer.encode_batch(["query: " + text for text in texts])
        ids, mask = (torch.tensor([getattr(e, part) for e in batch]) for part in ("ids", "attention_mask"))
        theirs = []
        for _ in range(settings["steps"]):
            hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
            queries = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            scores = settings["inverseTemperature"] * queries @ documents.T
            loss = torch.nn.functional.kl_div(scores.log_softmax(-1), target, reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights.values(), settings["maxGradNorm"])
            optimizer.step()
            theirs.append(loss.item())
        difference = np.abs(np.array(ours) - theirs).max()
        assert difference < 1e-4 and ours[-1] < 0.9 * ours[0], (name, ours, theirs)
        loaded = SentenceTransformer(f"{place} trained", device="cpu")
        with torch.no_grad():
            hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
        queries = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        apart = np.abs(loaded.encode_query(texts) - queries.numpy()).max()
        assert apart < 1e-3, (name, apart)
        print(f"{name}: losses of ten steps {ours[0]:.4f} to {ours[-1]:.4f}, largest difference {difference:.1e}; "
              f"saved, loaded by sentence-transformers, largest difference {apart:.1e}")


if "--tokenizers" in sys.argv:
    write_fixture()
else:
    with tempfile.TemporaryDirectory() as temporary:
        compare_embeddings(Path(temporary))
        compare_training(Path(temporary))
        compare_scores(Path(temporary))
