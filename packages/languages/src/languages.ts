import type { Language } from '@kith/core/internal'
import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as hindi } from '@orama/stemmers/indian'
import { stemmer as indonesian } from '@orama/stemmers/indonesian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'
import { type StopListName, stopList } from './stop-lists.ts'

interface Options {
  scripts?: readonly string[]
  /** Maps the spellings of a word to one spelling, before stemming. */
  spelling?: (word: string) => string
  /** `optional` if writers often leave accents out: stems are then compared without accents. */
  accents?: 'optional'
  prefixes?: boolean
  dotlessI?: boolean
}

const same = (word: string): string => word

/**
 * Languages with a stemmer, by name. Romance languages have `prefixes: false`: there, prefixes lose
 * more than they find.
 */
export const languages: Readonly<Record<StemmedName, Language>> = {
  arabic: stemmed('arabic', arabic, { scripts: ['Arabic'] }),
  bulgarian: stemmed('bulgarian', bulgarian, { scripts: ['Cyrillic'] }),
  danish: stemmed('danish', danish),
  dutch: stemmed('dutch', dutch, { accents: 'optional' }),
  finnish: stemmed('finnish', finnish),
  french: stemmed('french', french, { accents: 'optional', prefixes: false }),
  german: stemmed('german', german, { spelling: germanSpelling }),
  greek: stemmed('greek', greek, { scripts: ['Greek'], spelling: withoutAccents }),
  hindi: stemmed('hindi', hindi, { scripts: ['Devanagari'] }),
  hungarian: stemmed('hungarian', hungarian),
  indonesian: stemmed('indonesian', indonesian, { prefixes: false }),
  italian: stemmed('italian', italian, { accents: 'optional', prefixes: false }),
  norwegian: stemmed('norwegian', norwegian),
  portuguese: stemmed('portuguese', portuguese, { accents: 'optional', prefixes: false }),
  romanian: stemmed('romanian', romanian, {
    spelling: romanianSpelling,
    accents: 'optional',
    prefixes: false,
  }),
  russian: stemmed('russian', russian, { scripts: ['Cyrillic'], spelling: russianSpelling }),
  spanish: stemmed('spanish', spanish, { accents: 'optional', prefixes: false }),
  swedish: stemmed('swedish', swedish),
  turkish: stemmed('turkish', turkish, { dotlessI: true }),
  ukrainian: stemmed('ukrainian', ukrainian, { scripts: ['Cyrillic'] }),
}

type StemmedName = Exclude<StopListName, 'english' | 'vietnamese'>

function stemmed(
  name: StemmedName,
  stem: (word: string) => string,
  options: Options = {},
): Language {
  const {
    scripts = ['Latin'],
    spelling = same,
    accents,
    prefixes = true,
    dotlessI = false,
  } = options
  let stops: Set<string> | undefined
  const term = (word: string): string => {
    stops ??= new Set(
      stopList(name)
        .map(spelling)
        .flatMap((stop) => [stop, withoutMarks(stop)]),
    )
    const spelled = spelling(word)
    if (stops.has(spelled)) return ''
    return accents === 'optional' ? withoutAccents(stem(spelled)) : stem(spelled)
  }
  const withoutMarks = accents === 'optional' ? withoutAccents : same
  return { scripts, term, prefixes, dotlessI }
}

/** Removes the accents of letters: é becomes e, ñ becomes n. */
function withoutAccents(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')
}

/**
 * Gives German sounds one spelling: ß becomes ss, and ae, oe, ue become umlauts, except if they
 * span two syllables or follow a q (Bauer, neue, Quelle).
 */
function germanSpelling(word: string): string {
  return word
    .replaceAll('ß', 'ss')
    .replaceAll('ae', 'ä')
    .replaceAll('oe', 'ö')
    .replace(/(?<![aeq])ue/g, 'ü')
}

/** Replaces Romanian s and t with a comma below by the cedilla forms that the stemmer uses. */
function romanianSpelling(word: string): string {
  return word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ')
}

/** Replaces the Russian letter ё with е, as most people type it. */
function russianSpelling(word: string): string {
  return word.replaceAll('ё', 'е')
}
