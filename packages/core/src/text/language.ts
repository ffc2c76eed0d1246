import { KithError } from '../error.ts'
import type { Folding } from './fold.ts'
import { porterStem } from './porter.ts'
import { stopWords } from './stop-words.ts'
import type { Tokenizer, TokenizerName } from './tokenizer.ts'

/** The rules of a language for its words. */
export interface Language {
  /**
   * The scripts that it is written in, by their Unicode names; words of other scripts stay
   * unchanged.
   */
  scripts: readonly string[]
  /** The term of a word, which is normalized (NFKC) and in lower case; empty for a stop word. */
  term: (word: string) => string
  /**
   * Whether the first five characters of a term are a second term, so that compounds and derived words
   * match the words that they start with.
   */
  prefixes?: boolean
  /** Whether I is the upper case of ı. */
  dotlessI?: boolean
}

const asItIs = (word: string): string => word

/** Languages that need a script's rules only, which all languages share. */
const plainLanguages = {
  chinese: { scripts: ['Han'], term: asItIs },
  hebrew: { scripts: ['Hebrew'], term: asItIs },
  japanese: { scripts: ['Han', 'Hiragana', 'Katakana'], term: asItIs },
  korean: { scripts: ['Hangul'], term: asItIs },
  thai: { scripts: ['Thai'], term: asItIs },
  vietnamese: { scripts: ['Latin'], term: asItIs },
} satisfies Record<string, Language>

/** The languages of the package `@kith/languages`. */
const stemmedNames = [
  ...['arabic', 'bulgarian', 'danish', 'dutch', 'finnish', 'french', 'german', 'greek'],
  ...['hindi', 'hungarian', 'indonesian', 'italian', 'norwegian'],
  ...['portuguese', 'romanian', 'russian', 'spanish', 'swedish'],
  ...['turkish', 'ukrainian'],
] as const

/** A language other than English that names a tokenizer. */
export type LanguageName = keyof typeof plainLanguages | (typeof stemmedNames)[number]

/** Languages other than English, by name. */
export const languageNames: readonly LanguageName[] = [
  ...(Object.keys(plainLanguages) as (keyof typeof plainLanguages)[]),
  ...stemmedNames,
].sort()

const known = new Map<string, Language>(Object.entries(plainLanguages))

// Beside other languages; on its own, English is the second generation's.
known.set('english', {
  scripts: ['Latin'],
  term: (word) => (stopWords.has(word) ? '' : /^[a-z]+$/.test(word) ? porterStem(word) : word),
})

let detect: ((texts: Iterable<string>) => TokenizerName) | undefined

/** Makes languages known by their names, and a function that finds the tokenizer for texts. */
export function registerLanguages(
  languages: Readonly<Record<string, Language>>,
  detectTokenizer: (texts: Iterable<string>) => TokenizerName,
): void {
  for (const [name, language] of Object.entries(languages)) known.set(name, language)
  detect = detectTokenizer
}

/**
 * Loads the package of languages if a tokenizer needs it: most processes read English, and spare the
 * time.
 *
 * @param load Imports `@kith/languages`, of which this package knows nothing.
 */
export async function loadLanguages(
  tokenizer: Tokenizer | 'function' | undefined,
  load: () => Promise<unknown>,
): Promise<void> {
  if (typeof tokenizer !== 'string') return
  const isMissing =
    tokenizer === 'auto'
      ? detect === undefined
      : isLanguageName(tokenizer) && tokenizer.split('+').some((name) => !known.has(name))
  if (isMissing) await load()
}

/** The name of the tokenizer that fits texts. */
export function detectTokenizer(texts: Iterable<string>): TokenizerName {
  if (detect) return detect(texts)
  throw new KithError(
    'BAD_SETTING',
    "tokenizer 'auto' needs the package @kith/languages; install it and import '@kith/languages' first",
  )
}

/** Whether a name is a language, or several languages joined by +. */
export function isLanguageName(name: string): boolean {
  if ((languageNames as readonly string[]).includes(name)) return true
  const parts = name.split('+')
  return (
    parts.length > 1 &&
    new Set(parts).size === parts.length &&
    parts.every((part) => part === 'english' || isLanguageName(part))
  )
}

/** Turns the words of a text into terms, by the rules of one or several languages. */
export class LanguageRules {
  readonly folding: Folding
  /** Whether a word can have a second term. */
  readonly prefixes: boolean
  /** Whether words are full of combining marks. */
  readonly marks: boolean
  readonly #languages: readonly { letter: RegExp; language: Language }[]

  constructor(name: string) {
    const languages = name.split('+').map(languageOf)
    const scripts = languages.flatMap((language) => language.scripts)
    const twice = scripts.find((script, i) => scripts.indexOf(script) !== i)
    if (twice) {
      throw new KithError(
        'BAD_SETTING',
        `tokenizer '${name}' has two languages in ${twice} script; name one language per script`,
      )
    }
    this.folding = languages.some(({ dotlessI }) => dotlessI) ? 'turkish' : 'case'
    this.prefixes = languages.some(({ prefixes }) => prefixes)
    this.marks = scripts.includes('Devanagari')
    this.#languages = languages.map((language) => ({
      letter: new RegExp(
        `^[${language.scripts.map((script) => `\\p{scx=${script}}`).join('')}]`,
        'u',
      ),
      language,
    }))
  }

  /**
   * The term of a word, empty for a stop word, and its second term, empty if the language has no second terms.
   * If one has, all words get one, so that they weigh the same.
   */
  terms(word: string): [term: string, prefix: string] {
    const language = this.#languages.find(({ letter }) => letter.test(word))?.language
    const term = language ? language.term(word) : word
    return [term, term !== '' && this.prefixes ? prefixOf(term) : '']
  }
}

/** The first five characters of a term; a star distinguishes them from a term. */
function prefixOf(term: string): string {
  return `${term.length <= 5 ? term : Array.from(term).slice(0, 5).join('')}*`
}

function languageOf(name: string): Language {
  const language = known.get(name)
  if (language) return language
  throw new KithError(
    'BAD_SETTING',
    `tokenizer '${name}' needs the package @kith/languages; install it and import '@kith/languages' first`,
  )
}
