import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import { type JsonObject, readJson, readText } from '../json.ts'

/** The settings of a tokenizer in a model's files. */
export interface TokenizerFiles {
  /** The file that the description comes from. */
  file: string
  /** The contents of `tokenizer.json`, or a description made from `vocab.txt`. */
  description: JsonObject
  /** The contents of `tokenizer_config.json`. */
  config: JsonObject
}

/** Reads `tokenizer.json`, or `vocab.txt` if there is no such file. */
export async function readTokenizerFiles(folder: string): Promise<TokenizerFiles> {
  const [whole, vocabulary, settings] = [
    'tokenizer.json',
    'vocab.txt',
    'tokenizer_config.json',
  ].map((name) => join(folder, name)) as [string, string, string]
  const config = existsSync(settings) ? await readJson(settings) : {}
  if (existsSync(whole)) return { file: whole, description: await readJson(whole), config }
  if (!existsSync(vocabulary)) {
    throw new FileError(folder, '', 'has neither tokenizer.json nor vocab.txt')
  }
  const description = wordPieceDescription(vocabulary, await readText(vocabulary), config)
  return { file: vocabulary, description, config }
}

/** The special tokens that a BERT vocabulary must have. */
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']

/** Builds the `tokenizer.json` of a checkpoint that only has `vocab.txt`. */
export function wordPieceDescription(file: string, text: string, config: JsonObject): JsonObject {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const vocab: Record<string, number> = Object.fromEntries(lines.map((token, id) => [token, id]))
  for (const token of ['[UNK]', '[CLS]', '[SEP]']) {
    if (!Object.hasOwn(vocab, token)) throw new FileError(file, '', `has no token ${token}`)
  }
  const present = SPECIAL.filter((token) => Object.hasOwn(vocab, token))
  const special = (token: string) => ({ id: token, ids: [vocab[token]], tokens: [token] })
  const lowercase = config['do_lower_case'] !== false
  return {
    version: '1.0',
    added_tokens: present.map((content) => ({
      id: vocab[content],
      content,
      special: true,
      normalized: false,
      single_word: false,
      lstrip: false,
      rstrip: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: config['tokenize_chinese_chars'] !== false,
      strip_accents: config['strip_accents'] ?? null,
      lowercase,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
        { Sequence: { id: 'B', type_id: 1 } },
        { SpecialToken: { id: '[SEP]', type_id: 1 } },
      ],
      special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  }
}
