import { join } from 'node:path'
import { writeAtomic } from '@kith/ir'
import { isObject, type JsonObject, readText } from '../json.ts'
import { readTokenizerFiles } from '../tokens/tokenizer-files.ts'
import type { Checkpoint } from './model.ts'
import { PROMPTS_FILE } from './prefixes.ts'

/** The `tokenizer_config.json` of BERT, for models without the file. */
const BERT_SETTINGS = {
  tokenizer_class: 'BertTokenizer',
  unk_token: '[UNK]',
  pad_token: '[PAD]',
  cls_token: '[CLS]',
  sep_token: '[SEP]',
  mask_token: '[MASK]',
}

/** Writes the files of a model besides its weights: config, tokenizer and pooling. */
export async function writeModelFiles(model: Checkpoint, folder: string): Promise<void> {
  const { files, head, maxTokens, prefixes } = model
  const { description, config } = await readTokenizerFiles(files.folder)
  const usual = isBert(description) ? BERT_SETTINGS : { tokenizer_class: 'PreTrainedTokenizerFast' }
  const settings = { ...usual, ...config, model_max_length: maxTokens }
  const kinds = ['Transformer', 'Pooling', ...(head.normalise ? ['Normalize'] : [])]
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

/** Whether a tokenizer is BERT's. */
function isBert({ model }: JsonObject): boolean {
  return isObject(model) && model['type'] === 'WordPiece'
}
