import { KithError } from '../error.ts'
import { show } from '../settings/show.ts'
import { isLanguageName, type LanguageName, languageNames } from './language-names.ts'
import { porterStem } from './porter.ts'
import { stopWords } from './stop-words.ts'

/** Tokenizers for English, and for no language; the tuner tries them (docs/method.md section 4). */
export const tokenizerNames = ['english', 'plural', 'prefix5', 'none'] as const

/**
 * A tokenizer by name. `english`: without stop words, Porter's stems. `plural`: without stop words
 * and the plural's s. `prefix5`: without stop words, the first five characters. `none`: the words as
 * they are. `code`: identifiers and their parts. The name of another language: its stop words and stems.
 * Several with + between them: one for each script. All but the first four need an import:
 * `@kith/core/tokenizers`, or `@kith/languages` for languages with stems.
 */
export type TokenizerName =
  | (typeof tokenizerNames)[number]
  | 'code'
  | LanguageName
  | `${LanguageName | 'english'}+${string}`

/**
 * A tokenizer by name, `auto` for the one that fits the texts, or a function that gives the terms of a
 * text, each as often as it occurs.
 */
export type Tokenizer = TokenizerName | 'auto' | ((text: string) => readonly string[])

/** How the terms of a text are made, `english` by default. */
export interface TokenizerOption {
  tokenizer?: Tokenizer | undefined
}

/** A word of more characters is not one of any language: it stays unchanged. */
export const LONGEST_WORD = 64

/** The term of a lower-cased word under a tokenizer for English or for no language; empty for a stop word. */
export function termOf(word: string, tokenizer: TokenizerName): string {
  if (tokenizer === 'none' || isLong(word)) return word
  if (stopWords.has(word)) return ''
  if (tokenizer === 'prefix5') return firstFive(word)
  if (!isPlainEnglish(word)) return word
  return tokenizer === 'english' ? porterStem(word) : singular(word)
}

/** Throws unless a value is a tokenizer. */
export function checkTokenizer(name: string, value: unknown): asserts value is Tokenizer {
  if (typeof value === 'function' || value === 'auto' || isTokenizerName(value)) return
  throw new KithError(
    'BAD_SETTING',
    `setting ${name} must be one of ${[...tokenizerNames, 'code', 'auto'].join(', ')}, a language (${languageNames.join(', ')}), several of these joined by +, or a function from a text to its terms, got ${show(value)}`,
  )
}

/** Whether a value is the name of a tokenizer. */
export function isTokenizerName(value: unknown): value is TokenizerName {
  return typeof value === 'string' && (isBasic(value) || value === 'code' || isLanguageName(value))
}

/** Whether a tokenizer belongs to the second generation: no normalization, and the kernel reads ASCII. */
export function isBasic(tokenizer: string): tokenizer is (typeof tokenizerNames)[number] {
  return (tokenizerNames as readonly string[]).includes(tokenizer)
}

/** The name of a tokenizer; all functions share one. */
export function nameOfTokenizer(tokenizer: Tokenizer): TokenizerName | 'function' {
  if (tokenizer === 'auto') {
    throw new KithError(
      'BAD_SETTING',
      "tokenizer 'auto' needs a corpus; pass statistics from termStatistics(texts, { tokenizer: 'auto' }), or name a tokenizer",
    )
  }
  return typeof tokenizer === 'function' ? 'function' : tokenizer
}

/** Settings that say how the terms of texts are made. */
export interface TokenizerSettings {
  tokenizer?: Tokenizer | undefined
  statistics?: { readonly tokenizer: TokenizerName | 'function' } | undefined
}

/** The tokenizer of settings: if none is named, the tokenizer of the term statistics, or `english`. */
export function tokenizerOf({
  tokenizer,
  statistics,
}: TokenizerSettings): Exclude<Tokenizer, 'auto'> {
  if (tokenizer !== undefined && tokenizer !== 'auto') return tokenizer
  if (statistics?.tokenizer === 'function') {
    throw new KithError(
      'BAD_SETTING',
      'term statistics were built with a function; pass that function as tokenizer',
    )
  }
  if (statistics) return statistics.tokenizer
  return tokenizer === undefined ? 'english' : (nameOfTokenizer(tokenizer) as TokenizerName)
}

function isLong(word: string): boolean {
  // A character takes one or two units.
  if (word.length <= LONGEST_WORD) return false
  return word.length > 2 * LONGEST_WORD || Array.from(word).length > LONGEST_WORD
}

function isPlainEnglish(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    if (code < 0x61 || code > 0x7a) return false
  }
  return true
}

function firstFive(word: string): string {
  return word.length <= 5 ? word : Array.from(word).slice(0, 5).join('')
}

/** D. Harman's S stemmer (1991). */
function singular(word: string): string {
  if (!word.endsWith('s')) return word
  if (word.endsWith('ies')) return /[ae]ies$/.test(word) ? word : `${word.slice(0, -3)}y`
  if (word.endsWith('es')) return /[aeo]es$/.test(word) ? word : word.slice(0, -1)
  return word.endsWith('us') || word.endsWith('ss') ? word : word.slice(0, -1)
}
