import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import { type JsonObject, readJson, readText } from '../json.ts'
import { wordPieceDescription } from './vocabulary.ts'

/** The settings of a tokenizer in a model's files. */
export interface TokenizerFiles {
  /** Where the description comes from. */
  file: string
  /** The contents of `tokenizer.json`, or of the one that is made from `vocab.txt`. */
  description: JsonObject
  /** The contents of `tokenizer_config.json`. */
  config: JsonObject
}

/** Reads `tokenizer.json`, or `vocab.txt` where there is nothing else. */
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
