/**
 * The stem of an English word of the letters a to z, by M. F. Porter's algorithm of 1980 with the
 * two rules that he revised later (`bli` instead of `abli`, and `logi`). Words of one or two
 * letters stay unchanged.
 */
export function porterStem(word: string): string {
  if (word.length <= 2) return word
  let stem = withoutPlural(word)
  stem = withoutPast(stem)
  if (ends(stem, 'y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  stem = replaceSuffix(stem, derived)
  stem = replaceSuffix(stem, adjectives)
  stem = withoutEnding(stem)
  return withoutFinal(stem)
}

type Suffixes = readonly (readonly [suffix: string, replacement: string])[]

/** Step 2; a suffix stands before the suffixes that it ends with. */
const derived: Suffixes = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
]

/** Step 3. */
const adjectives: Suffixes = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]

/** Step 4. */
const endings: readonly string[] = [
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent', 'sion'],
  ...['tion', 'ou', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'],
]

/** Step 1a. */
function withoutPlural(word: string): string {
  if (!ends(word, 's') || ends(word, 'ss')) return word
  return ends(word, 'sses') || ends(word, 'ies') ? word.slice(0, -2) : word.slice(0, -1)
}

/** Step 1b: past tense and participles. */
function withoutPast(word: string): string {
  if (ends(word, 'eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const length = ends(word, 'ed') ? 2 : ends(word, 'ing') ? 3 : 0
  const stem = word.slice(0, word.length - length)
  if (length === 0 || !hasVowel(stem)) return word
  if (ends(stem, 'at') || ends(stem, 'bl') || ends(stem, 'iz')) return `${stem}e`
  if (endsDouble(stem) && !'lsz'.includes(stem.at(-1)!)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

/** The first suffix that a word ends with is replaced, if a syllable is left before it. */
function replaceSuffix(word: string, suffixes: Suffixes): string {
  for (const [suffix, replacement] of suffixes) {
    if (!ends(word, suffix)) continue
    const stem = word.slice(0, -suffix.length)
    return measure(stem) > 0 ? stem + replacement : word
  }
  return word
}

/** Step 4: the first ending that a word has is dropped, if two syllables are left before it. */
function withoutEnding(word: string): string {
  for (const ending of endings) {
    if (!ends(word, ending)) continue
    // The s or t before ion is a part of the stem.
    const length = ending.endsWith('ion') ? 3 : ending.length
    const stem = word.slice(0, -length)
    return measure(stem) > 1 ? stem : word
  }
  return word
}

/** Step 5: a final e, and one of two final l. */
function withoutFinal(word: string): string {
  let stem = word
  if (ends(stem, 'e')) {
    const shorter = stem.slice(0, -1)
    const syllables = measure(shorter)
    if (syllables > 1 || (syllables === 1 && !endsShort(shorter))) stem = shorter
  }
  return ends(stem, 'll') && measure(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem
}

/** Whether a word has an ending, compared from its last letter on: most differ there. */
function ends(word: string, ending: string): boolean {
  const at = word.length - ending.length
  if (at < 0) return false
  for (let i = ending.length - 1; i >= 0; i--) {
    if (word.charCodeAt(at + i) !== ending.charCodeAt(i)) return false
  }
  return true
}

const [A, E, I, O, U, Y] = Array.from('aeiouy', (letter) => letter.charCodeAt(0))

/** Whether the letter is a consonant; y is one at the start and behind a vowel. */
function isConsonant(word: string, at: number): boolean {
  const letter = word.charCodeAt(at)
  if (letter === Y) return at === 0 || !isConsonant(word, at - 1)
  return letter !== A && letter !== E && letter !== I && letter !== O && letter !== U
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (!isConsonant(stem, at)) return true
  return false
}

/** How many times consonants follow vowels, which is about the number of syllables. */
function measure(stem: string): number {
  let count = 0
  let vowelBefore = false
  for (let at = 0; at < stem.length; at++) {
    const consonant = isConsonant(stem, at)
    if (consonant && vowelBefore) count++
    vowelBefore = !consonant
  }
  return count
}

function endsDouble(stem: string): boolean {
  const last = stem.length - 1
  return last > 0 && stem[last] === stem[last - 1] && isConsonant(stem, last)
}

/** Consonant, vowel, consonant at the end, the last one neither w, x nor y: hop, but not show. */
function endsShort(stem: string): boolean {
  const last = stem.length - 1
  return (
    last > 1 &&
    isConsonant(stem, last) &&
    !isConsonant(stem, last - 1) &&
    isConsonant(stem, last - 2) &&
    !'wxy'.includes(stem[last]!)
  )
}
