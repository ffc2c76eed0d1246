import { KithError, type TermStatistics, type Tokenizer, type TokenizerName } from '@kith/core'
import { detectTokenizer } from '@kith/core/internal'
import { readTermStatistics, readTexts } from '@kith/ir'
import { loadLanguages } from '@kith/languages/load'
import type { Hooks } from '../job/hooks.ts'
import type { StatisticsSource } from './statistics.ts'

/** The default tokenizer of a job on texts. */
export interface DefaultTokenizer {
  /**
   * The tokenizer if neither settings nor term statistics name one (`Dataset.tokenizer`); default
   * `english`.
   */
  defaultTokenizer?: TokenizerName | undefined
}

/** The inputs of a job that determine the tokenizer of the corpus. */
export interface TokenizerSources extends DefaultTokenizer {
  /** The source of term statistics; statistics in a file name their tokenizer. */
  statistics?: StatisticsSource | undefined
  /** Reads the term statistics of a store. */
  terms?: (() => Promise<TermStatistics | undefined>) | undefined
  /** The texts of all documents, for detection with `auto`. */
  texts?: string | Iterable<string> | undefined
}

/** Number of texts that `auto` examines. */
const DETECTED = 1000

/**
 * Resolves the tokenizer of settings to a name. If they name none, or `auto`, it takes the
 * tokenizer of the statistics; without statistics, `auto` takes the tokenizer that fits the texts,
 * and no tokenizer at all takes `defaultTokenizer`. Throws for functions, which cannot be sent to a
 * worker thread.
 */
export async function nameTokenizer<T extends { tokenizer?: Tokenizer | undefined }>(
  settings: T,
  sources: TokenizerSources,
  hooks: Hooks,
): Promise<T & { tokenizer: TokenizerName }> {
  const { tokenizer } = settings
  if (typeof tokenizer === 'function') {
    throw new KithError(
      'BAD_SETTING',
      'setting tokenizer must be a name for jobs on files, got a function; name a tokenizer, or call rerank() of @kith/core',
    )
  }
  const named = await nameOf(tokenizer, sources, hooks)
  await loadLanguages(named)
  return { ...settings, tokenizer: named }
}

async function nameOf(
  tokenizer: TokenizerName | 'auto' | undefined,
  { statistics, terms, texts, defaultTokenizer = 'english' }: TokenizerSources,
  hooks: Hooks,
): Promise<TokenizerName> {
  if (tokenizer !== undefined && tokenizer !== 'auto') return tokenizer
  const file = typeof statistics === 'object' ? statistics.file : undefined
  const known = file === undefined ? await terms?.() : await readTermStatistics(file)
  if (known && known.tokenizer !== 'function') {
    const source = file === undefined ? 'of the store' : `in ${file}`
    if (tokenizer === 'auto') {
      hooks.onRemark?.(`tokenizer: ${known.tokenizer}, by the term statistics ${source}`)
    }
    return known.tokenizer
  }
  if (tokenizer === undefined) {
    if (defaultTokenizer !== 'english') {
      hooks.onRemark?.(`tokenizer: ${defaultTokenizer}, by the texts of the dataset`)
    }
    return defaultTokenizer
  }
  if (texts === undefined) {
    throw new KithError(
      'BAD_SETTING',
      "tokenizer 'auto' needs the texts of a corpus, or term statistics; pass corpus, or name a tokenizer",
    )
  }
  await loadLanguages('auto')
  const found = detectTokenizer(typeof texts === 'string' ? await firstTexts(texts) : texts)
  hooks.onRemark?.(`tokenizer: ${found}, by the texts of the corpus`)
  return found
}

async function firstTexts(file: string): Promise<string[]> {
  const texts: string[] = []
  for await (const { text } of readTexts(file)) {
    if (texts.push(text) === DETECTED) break
  }
  return texts
}
