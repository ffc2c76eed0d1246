import { firstBadLine, type InputFile, isIllFormed, lineError, notUtf8 } from '@kith/base'
import { parseNumber } from '../io/parse-number.ts'
import { type RankedQuery, type Run, RunBuilder } from './run.ts'

/** Reads a JSON run: `{"query": {"document": score, ...}, ...}`. */
export async function readJsonRun(input: InputFile): Promise<Run> {
  const scanner = new RunScanner(input.name)
  for await (const chunk of input.chunks()) scanner.push(chunk, false)
  scanner.push(Buffer.alloc(0), true)
  return scanner.builder.finish()
}

/** Formats the part of a JSON run for one query, without the comma before it. */
export function jsonRanking({ query, ids, scores }: RankedQuery): string {
  const pairs = ids.map((id, i) => `${JSON.stringify(id)}: ${scores[i]}`)
  return `${JSON.stringify(query)}: {${pairs.join(', ')}}`
}

/** Maximum length of an id or score in bytes; reading on would fill the memory. */
const LONGEST = 1 << 20

/** The tokens that may come next, as error messages name them. */
const next = {
  start: '{',
  firstQuery: 'a query id or }',
  query: 'a query id',
  queryColon: ':',
  open: '{',
  firstDocument: 'a document id or }',
  document: 'a document id',
  documentColon: ':',
  score: 'a score',
  afterScore: ', or }',
  afterQuery: ', or }',
  end: 'the end',
} as const

type State = keyof typeof next

const punctuation: Partial<Record<State, Record<string, State>>> = {
  start: { '{': 'firstQuery' },
  firstQuery: { '}': 'end' },
  queryColon: { ':': 'open' },
  open: { '{': 'firstDocument' },
  firstDocument: { '}': 'afterQuery' },
  documentColon: { ':': 'score' },
  afterScore: { ',': 'document', '}': 'afterQuery' },
  afterQuery: { ',': 'query', '}': 'end' },
}

/**
 * Parses the two levels of a JSON run as a stream: `JSON.parse` would keep the whole run as
 * objects, reorder numeric ids, and hide a document that occurs twice.
 */
class RunScanner {
  readonly builder: RunBuilder
  #rest: Buffer = Buffer.alloc(0)
  #state: State = 'start'
  #line = 1
  #document = Buffer.alloc(0)

  constructor(readonly file: string) {
    this.builder = new RunBuilder(file)
  }

  /** Parses the next bytes; `last` marks the last call, with the rest of the file. */
  push(chunk: Buffer, last: boolean): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const line = this.#line
    let from = 0
    while (from < bytes.length) {
      const to = this.#token(bytes, from, last)
      if (to < 0) break
      from = to
    }
    const bad = firstBadLine(bytes.subarray(0, from))
    if (bad >= 0) throw lineError(this.file, line + bad, notUtf8)
    this.#rest = bytes.subarray(from)
    if (this.#rest.length > LONGEST) throw this.#wrong(bytes, from)
    if (last && this.#state !== 'end') throw this.#wrong(bytes, from)
  }

  /** Parses one token and returns where it ends; -1 if the bytes end before the token does. */
  #token(bytes: Buffer, from: number, last: boolean): number {
    const byte = bytes[from]!
    if (byte === 10) this.#line++
    if (byte === 32 || byte === 10 || byte === 13 || byte === 9) return from + 1
    if (byte === 0x22) return this.#string(bytes, from)
    if (this.#state === 'score') return this.#score(bytes, from, last)
    const state = punctuation[this.#state]?.[String.fromCharCode(byte)]
    if (!state) throw this.#wrong(bytes, from)
    this.#state = state
    return from + 1
  }

  #string(bytes: Buffer, from: number): number {
    let to = from + 1
    let escaped = false
    while (to < bytes.length && bytes[to] !== 0x22) {
      if (bytes[to] === 0x5c) {
        escaped = true
        to++
      }
      to++
    }
    if (to >= bytes.length) return -1
    const id = escaped ? this.#unescaped(bytes, from, to) : bytes.subarray(from + 1, to)
    if (this.#state === 'query' || this.#state === 'firstQuery') {
      this.builder.query(id.toString())
      this.#state = 'queryColon'
    } else if (this.#state === 'document' || this.#state === 'firstDocument') {
      this.#document = Buffer.from(id)
      this.#state = 'documentColon'
    } else throw this.#wrong(bytes, from)
    return to + 1
  }

  #unescaped(bytes: Buffer, from: number, to: number): Buffer {
    let id: string | undefined
    try {
      id = JSON.parse(bytes.toString('utf8', from, to + 1)) as string
    } catch {}
    if (id === undefined || isIllFormed(id)) throw this.#wrong(bytes, from)
    return Buffer.from(id)
  }

  #score(bytes: Buffer, from: number, last: boolean): number {
    let to = from
    while (to < bytes.length && !',}'.includes(String.fromCharCode(bytes[to]!)) && bytes[to]! > 32)
      to++
    if (to === bytes.length && !last) return -1
    const score = parseNumber(bytes, from, to)
    if (!Number.isFinite(score)) throw this.#wrong(bytes, from)
    this.builder.row(this.#document, 0, this.#document.length, score, this.#line)
    this.#state = 'afterScore'
    return to
  }

  #wrong(bytes: Buffer, from: number): Error {
    const got = bytes.toString('utf8', from, from + 20)
    const found = got === '' ? 'the end of the file' : JSON.stringify(got)
    return lineError(this.file, this.#line, `expected ${next[this.#state]}, got ${found}`)
  }
}
