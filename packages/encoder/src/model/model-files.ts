import { join } from 'node:path'
import { writeAtomic } from '@kith/base'
import { isObject, type JsonObject, readText } from '../json.ts'
import { buildModel, HIDDEN } from '../network/build-model.ts'
import { readTokenizerFiles } from '../tokens/tokenizer-files.ts'
import { asCheckpoint, type Checkpoint, type ModelOptions, openModel } from './model.ts'
import { PROMPTS_FILE } from './model-folder.ts'

/** The usual names of special tokens, for models without `tokenizer_config.json`. */
const SPECIAL_TOKENS = {
  unk_token: ['[UNK]', '<unk>'],
  pad_token: ['[PAD]', '<pad>'],
  cls_token: ['[CLS]', '<s>'],
  sep_token: ['[SEP]', '</s>'],
  mask_token: ['[MASK]', '<mask>'],
}

/** Writes the files of a model besides its weights: config, tokenizer and pooling. */
export async function writeModelFiles(model: Checkpoint, folder: string): Promise<void> {
  const { files, head, maxTokens, prefixes } = model
  const { description, config } = await readTokenizerFiles(files.folder)
  const settings = { ...usualSettings(description), ...config, model_max_length: maxTokens }
  const kinds = ['Transformer', 'Pooling', ...(head.normalize ? ['Normalize'] : [])]
  const modules = kinds.map((kind, idx) => ({
    idx,
    name: String(idx),
    path: idx === 0 ? '' : `${idx}_${kind}`,
    type: `sentence_transformers.models.${kind}`,
  }))
  const pooling = {
    word_embedding_dimension: model.config.hidden,
    pooling_mode_cls_token: head.pooling === 'first',
    pooling_mode_mean_tokens: head.pooling === 'mean',
  }
  const texts = {
    'config.json': await readText(join(files.folder, 'config.json')),
    'tokenizer.json': JSON.stringify(description),
    'tokenizer_config.json': JSON.stringify(settings),
    'modules.json': JSON.stringify(modules),
    '1_Pooling/config.json': JSON.stringify(pooling),
    [PROMPTS_FILE]: JSON.stringify({ prompts: prefixes }),
  }
  for (const [file, text] of Object.entries(texts)) {
    await writeAtomic(join(folder, file), (write) => write(text))
  }
}

/** Returns the class of a tokenizer, and which of the usual special tokens it has. */
function usualSettings({ model, added_tokens }: JsonObject): JsonObject {
  const added = Array.isArray(added_tokens) ? added_tokens : []
  const known = new Set(added.map((token) => (isObject(token) ? token['content'] : token)))
  const settings: JsonObject = {
    tokenizer_class:
      isObject(model) && model['type'] === 'WordPiece'
        ? 'BertTokenizer'
        : 'PreTrainedTokenizerFast',
  }
  for (const [key, names] of Object.entries(SPECIAL_TOKENS)) {
    const name = names.find((name) => known.has(name))
    if (name) settings[key] = name
  }
  return settings
}

/**
 * Writes a checkpoint as `onnx/model.onnx` with its weights, from `input_ids` and `attention_mask`
 * to `last_hidden_state`, and its config, tokenizer and pooling beside it: the layout that
 * transformers.js and other libraries load.
 */
export async function exportOnnx(
  name: string,
  folder: string,
  options: ModelOptions = {},
): Promise<void> {
  const model = asCheckpoint(await openModel(name, options))
  await writeModelFiles(model, folder)
  const onnx = await buildModel(model, HIDDEN)
  await writeAtomic(join(folder, 'onnx', 'model.onnx'), async (write) => {
    for (const part of onnx.parts()) await write(part)
  })
}
