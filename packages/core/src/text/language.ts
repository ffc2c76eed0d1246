import { KithError } from '../error.ts'
import type { Folding } from './fold.ts'
import { notImported } from './further-tokenizers.ts'
import { porterStem } from './porter.ts'
import { stopWords } from './stop-words.ts'
import type { TokenizerName } from './tokenizer.ts'

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

const known = /* @__PURE__ */ new Map<string, Language>([
  ['chinese', { scripts: ['Han'], term: asItIs }],
  ['hebrew', { scripts: ['Hebrew'], term: asItIs }],
  ['japanese', { scripts: ['Han', 'Hiragana', 'Katakana'], term: asItIs }],
  ['korean', { scripts: ['Hangul'], term: asItIs }],
  ['thai', { scripts: ['Thai'], term: asItIs }],
  ['vietnamese', { scripts: ['Latin'], term: asItIs }],
  // Beside other languages; on its own, English is the second generation's.
  [
    'english',
    {
      scripts: ['Latin'],
      term: (word) => (stopWords.has(word) ? '' : /^[a-z]+$/.test(word) ? porterStem(word) : word),
    },
  ],
])

let detect: ((texts: Iterable<string>) => TokenizerName) | undefined

export function addLanguages(
  languages: Readonly<Record<string, Language>>,
  detectTokenizer: (texts: Iterable<string>) => TokenizerName,
): void {
  for (const [name, language] of Object.entries(languages)) known.set(name, language)
  detect = detectTokenizer
}

/** Whether the rules of a language are known. */
export function isKnown(name: string): boolean {
  return known.has(name)
}

export function canDetect(): boolean {
  return detect !== undefined
}

/** The name of the tokenizer that fits texts. */
export function detectTokenizer(texts: Iterable<string>): TokenizerName {
  if (detect) return detect(texts)
  throw new KithError(
    'BAD_SETTING',
    "tokenizer 'auto' needs the package @kith/languages; install it and import '@kith/languages' first",
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
  throw notImported(name)
}
