import { FileError } from '@kith/base'
import type { Synset } from './synset.ts'

/**
 * Parses a line of `data.noun`: offset, lexical file, `n`, the number of words (hexadecimal), each
 * word with its sense, the number of pointers, each pointer as symbol, offset, part of speech and
 * words, then `|` and the gloss.
 */
export function parseNoun(file: string, line: number, text: string): Synset {
  return new NounLine(file, line, text).parse()
}

/** Parses the fields of a line one after the other. */
class NounLine {
  readonly #fields: readonly string[]
  readonly #gloss: string | undefined
  #next = 0

  constructor(
    readonly file: string,
    readonly line: number,
    text: string,
  ) {
    const bar = text.indexOf(' | ')
    this.#gloss = bar < 0 ? undefined : text.slice(bar + 3)
    this.#fields = (bar < 0 ? text : text.slice(0, bar)).trimEnd().split(' ')
  }

  parse(): Synset {
    const id = this.#id()
    const lexicalFile = this.#lexicalFile()
    const kind = this.#take('part of speech', /^[a-z]$/)
    if (kind !== 'n') throw this.#error(`expected a synset of type n (noun), got ${kind}`)
    const lemmas = this.#lemmas()
    const hypernyms = this.#hypernyms()
    if (this.#gloss === undefined)
      throw this.#error('the gloss is missing; expected " | " and a definition')
    const left = this.#fields.length - this.#next
    if (left > 0)
      throw this.#error(`the line has ${left} fields more than its counts of words and pointers`)
    const definition = definitionOf(this.#gloss)
    if (definition === '') throw this.#error('the gloss contains no definition')
    return { id, lexicalFile, lemmas, hypernyms, definition }
  }

  #id(): string {
    return `n${this.#take('offset', /^\d{8}$/)}`
  }

  #lexicalFile(): string {
    const number = this.#take('lexical file', /^\d\d$/)
    const name = lexicalFile(Number(number))
    if (name === undefined)
      throw this.#error(`the lexical file of a noun must be 03 to 28, got ${number}`)
    return name
  }

  #lemmas(): string[] {
    const count = Number.parseInt(this.#take('number of words', /^[\da-f]{2}$/i), 16)
    if (count === 0) throw this.#error('the synset has no words')
    const lemmas: string[] = []
    for (let i = 0; i < count; i++) {
      lemmas.push(this.#take('word', /./).replaceAll('_', ' '))
      this.#take('sense of a word', /^[\da-f]$/i)
    }
    return lemmas
  }

  /** Parses hypernyms of both kinds: an instance belongs to its class just as a kind does. */
  #hypernyms(): string[] {
    const count = Number(this.#take('number of pointers', /^\d{3}$/))
    const hypernyms: string[] = []
    for (let i = 0; i < count; i++) {
      const symbol = this.#take('pointer', /./)
      const target = this.#id()
      const kind = this.#take('part of speech', /^[a-z]$/)
      this.#take('words of a pointer', /^[\da-f]{4}$/i)
      if (symbol !== '@' && symbol !== '@i') continue
      if (kind !== 'n') throw this.#error(`expected a hypernym of type n (noun), got ${kind}`)
      if (!hypernyms.includes(target)) hypernyms.push(target)
    }
    return hypernyms
  }

  #take(what: string, form: RegExp): string {
    const field = this.#fields[this.#next++]
    if (field === undefined) throw this.#error(`the line ends before the field: ${what}`)
    if (!form.test(field))
      throw this.#error(`unexpected value in field ${this.#next} (${what}): ${clip(field)}`)
    return field
  }

  #error(problem: string): FileError {
    return new FileError(this.file, `line ${this.line}`, problem)
  }
}

/**
 * Quotes a field for an error message, truncated so that a binary file does not fill the screen.
 */
function clip(field: string): string {
  return JSON.stringify(field.length > 40 ? `${field.slice(0, 40)}…` : field)
}

/** WordNet's lexical files of nouns; the first file has number 3. */
const names = [
  'Tops',
  'act',
  'animal',
  'artifact',
  'attribute',
  'body',
  'cognition',
  'communication',
  'event',
  'feeling',
  'food',
  'group',
  'location',
  'motive',
  'object',
  'person',
  'phenomenon',
  'plant',
  'possession',
  'process',
  'quantity',
  'relation',
  'shape',
  'state',
  'substance',
  'time',
]

const FIRST = 3

/** Returns the name of a lexical file of nouns; undefined if no noun file has the number. */
function lexicalFile(number: number): string | undefined {
  return names[number - FIRST]
}

/**
 * Returns the definition in a gloss: the text before its first quoted example. An example follows a
 * semicolon or a colon; other quotation marks belong to the definition ("the exact words used in a
 * discourse (e.g., "he said ...")").
 */
function definitionOf(gloss: string): string {
  const example = gloss.search(/[;:]\s*"/)
  return (example < 0 ? gloss : gloss.slice(0, example)).trim()
}

/**
 * Words that end the genus phrase of a definition: after them come the differences from other
 * kinds.
 */
const differences = new Set(
  (
    'of in on at with without for from by to into onto as that which who whom whose where when ' +
    'while and or but is are was were being under over between among near like than about ' +
    'against during through upon within across after before around along above below behind ' +
    'having used made consisting containing found native usually especially often sometimes'
  ).split(' '),
)

/** Returns the words of a definition's genus phrase: "a large dog that ..." gives "large dog". */
export function genusOf(definition: string): string[] {
  const phrase = definition
    .toLowerCase()
    .replace(/^(?:\([^)]*\)\s*)+/, '')
    .replace(/^(?:any|one|all) of (?:several|various|numerous|many|the)\s+/, '')
    .replace(/^(?:an?|the|any|one|some|several|various)\s+/, '')
    .split(/[,;:()]/, 1)[0]!
  const words = phrase.split(/\s+/).filter((word) => word !== '')
  const end = words.findIndex((word) => differences.has(word))
  return end < 0 ? words : words.slice(0, end)
}
