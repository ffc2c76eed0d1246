import type { TokenizerName } from '@kith/core'
import { languages } from './languages.ts'
import { type StopListName, stopList, stopListNames } from './stop-lists.ts'

/**
 * The number of texts in the sample, and of characters of each: enough for every language in a
 * corpus.
 */
const TEXTS = 1000
const CHARACTERS = 2000

/** A script or code counts if at least this share of the texts is written in it. */
const SHARE = 0.05

/** Texts are in a language if at least this share of their words is frequent in the language. */
const FREQUENT = 0.12

/** A text is code if at least this share of its characters is in the set. */
const OPERATORS = /[(){}[\]=;<>_:+*/"'`|&#@\\]/g
const CODE = 0.06

/**
 * Scripts by their Unicode names, with the weight of a letter: a script of syllables or words needs
 * fewer letters for the same text.
 */
const scripts = {
  Arabic: 1,
  Cyrillic: 1,
  Devanagari: 1,
  Greek: 1,
  Han: 3,
  Hangul: 2,
  Hebrew: 1,
  Latin: 1,
  Thai: 1,
}
type Script = keyof typeof scripts

const letters = Object.keys(scripts).map((script) => ({
  script: script as Script,
  // Kana count as Han, because Japanese mixes them.
  letter: new RegExp(
    script === 'Han'
      ? '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]'
      : `\\p{Script=${script}}`,
    'gu',
  ),
}))

/**
 * Detects the tokenizer for the texts of a corpus, from a sample. Texts in several scripts get a
 * language for each, as in `english+russian`; a language without a tokenizer gets `prefix5`.
 *
 * ```ts
 * detectTokenizer(['Der Hund schläft unter dem Tisch, und die Katze ist auf dem Dach.']) // 'german'
 * ```
 */
export function detectTokenizer(texts: Iterable<string>): TokenizerName {
  const found = new Map<Script | 'code', string[]>()
  let count = 0
  for (const whole of texts) {
    const text = whole.slice(0, CHARACTERS).normalize('NFKC').toLowerCase()
    const kind = isCode(text) ? 'code' : scriptOf(text)
    if (kind === undefined) continue
    found.set(kind, [...(found.get(kind) ?? []), text])
    if (++count === TEXTS) break
  }
  const enough = (some: readonly string[] | undefined): boolean => (some?.length ?? 0) > count / 2
  if (enough(found.get('code'))) return 'code'
  const names = [...found]
    .filter(([kind, some]) => kind !== 'code' && some.length >= SHARE * count)
    .sort((a, b) => b[1].length - a[1].length)
    .map(([script, some]) => languageOf(script as Script, some))
    .filter((name) => name !== undefined)
  // A language in two scripts may be found twice.
  const different = [...new Set(names)]
  return (different.join('+') || 'prefix5') as TokenizerName
}

function isCode(text: string): boolean {
  return (text.match(OPERATORS)?.length ?? 0) > CODE * text.replace(/\s/g, '').length
}

/** Returns the script that most of a text is written in; undefined if the text has no letters. */
function scriptOf(text: string): Script | undefined {
  let most = 0
  let found: Script | undefined
  for (const { script, letter } of letters) {
    const count = (text.match(letter)?.length ?? 0) * scripts[script]
    if (count > most) {
      most = count
      found = script
    }
  }
  return found
}

/** Returns the language of texts in a script, if there is a tokenizer for it. */
function languageOf(script: Script, texts: readonly string[]): string | undefined {
  if (script === 'Hangul') return 'korean'
  if (script === 'Hebrew') return 'hebrew'
  if (script === 'Thai') return 'thai'
  if (script === 'Han') {
    const withKana = texts.filter((text) => /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text))
    return withKana.length > texts.length / 2 ? 'japanese' : 'chinese'
  }
  const words = texts.flatMap((text) => text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [])
  const lists = stopListNames
    .filter((name) => scriptsOf(name).includes(script))
    .map((name) => ({ name, list: new Set(stopList(name)), count: 0, score: 0 }))
  for (const word of words) {
    // A single Latin letter can be an initial or a symbol, and is an article in many languages.
    if (script === 'Latin' && word.length === 1) continue
    const having = lists.filter(({ list }) => list.has(word))
    for (const one of having) {
      one.count++
      // A word that only one language has is stronger evidence than a word that five languages
      // share.
      one.score += 1 / having.length
    }
  }
  return lists
    .filter(({ count }) => count > FREQUENT * words.length)
    .sort((a, b) => b.score - a.score)[0]?.name
}

function scriptsOf(name: StopListName): readonly string[] {
  return name === 'english' || name === 'vietnamese' ? ['Latin'] : languages[name].scripts
}
