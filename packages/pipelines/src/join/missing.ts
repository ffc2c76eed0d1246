import { stat } from 'node:fs/promises'
import { isStandardInput, readLines } from '@kith/base'
import { KithError } from '@kith/core'
import type { Hooks } from '../job/hooks.ts'

/** The policies for queries and documents without an embedding or a text. */
export const missingPolicies = ['error', 'skip'] as const

/** `error` throws; `skip` leaves out queries and documents with missing data, and counts them. */
export type MissingPolicy = (typeof missingPolicies)[number]

/** Number of ids that a remark names. */
const NAMED = 3

/** Queries or documents with one kind of missing data: their number, and the first ids. */
export interface Missing {
  /** A description such as `candidates have no embedding`. */
  what: string
  count: number
  first: readonly string[]
}

/** All ids with one kind of missing data, so that reports can be merged. */
export interface MissingIds {
  what: string
  ids: readonly string[]
}

/** The queries and documents with missing data; each id counts once. */
export class MissingReport {
  readonly #ids = new Map<string, Set<string>>()

  /** Number of kinds of missing data. */
  get size(): number {
    return this.#ids.size
  }

  /** Adds the id of a query or document with missing data. */
  add(what: string, id: string): void {
    const ids = this.#ids.get(what)
    if (ids) ids.add(id)
    else this.#ids.set(what, new Set([id]))
  }

  /** Adds the ids of other reports, such as reports of batches in other threads. */
  addAll(missing: readonly MissingIds[]): void {
    for (const { what, ids } of missing) for (const id of ids) this.add(what, id)
  }

  /** Returns all ids, for `addAll` of another report. */
  all(): MissingIds[] {
    return Array.from(this.#ids, ([what, ids]) => ({ what, ids: [...ids] }))
  }

  /** Returns the counts and first ids of each kind, in the order of their first occurrence. */
  list(): Missing[] {
    return Array.from(this.#ids, ([what, ids]) => {
      return { what, count: ids.size, first: [...ids].slice(0, NAMED) }
    })
  }

  /** Formats the report as text, such as `2 candidates have no embedding: d7, d9`. */
  remarks(): string[] {
    return this.list().map(({ what, count, first }) => {
      return `${count} ${what}: ${first.join(', ')}${count > first.length ? ', …' : ''}`
    })
  }

  /**
   * Throws if data is missing and the policy is `error`.
   *
   * @param where The beginning of the message, such as `query 12: `.
   */
  check(policy: MissingPolicy, where = ''): void {
    if (policy === 'skip' || this.#ids.size === 0) return
    const problem = this.remarks().join('; ')
    const message = `${where}${problem}; pass missing: 'skip' to leave them out`
    const kinds = [...this.#ids.keys()].join('\n')
    const id = this.list()[0]!.first[0]!
    throw Object.assign(new KithError('BAD_INPUT', message), { kinds, id }) satisfies MissingError
  }
}

/** Reports the queries and documents that were left out. */
export function remarkMissing(report: MissingReport, { onRemark }: Hooks, whose = ''): void {
  for (const remark of report.remarks()) onRemark?.(`${whose}${remark}`)
}

/** The files of a join; all are optional. */
interface JoinFiles {
  run?: string | undefined
  queries?: string | undefined
  docs?: string | undefined
  corpus?: string | undefined
  queryText?: string | undefined
  qrels?: string | undefined
  labels?: string | undefined
}

/**
 * An error about missing data. Its fields are plain, so that they survive a transfer between
 * threads.
 */
type MissingError = KithError & {
  /** The kinds of missing data, one per line. */
  readonly kinds: string
  /** The first id of the first kind. */
  readonly id: string
}

/**
 * Runs a join. If data is missing, the error names the file and line that first mention the id, and
 * the file without its data.
 */
export async function namingFiles<T>(files: JoinFiles, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isMissingError(error) ? await withFiles(error, files) : error
  }
}

function isMissingError(error: unknown): error is MissingError {
  const { kinds, id } = (error ?? {}) as Partial<MissingError>
  return error instanceof KithError && typeof kinds === 'string' && typeof id === 'string'
}

async function withFiles(error: MissingError, files: JoinFiles): Promise<KithError> {
  const kinds = error.kinds.split('\n')
  let message = error.message
  for (const kind of kinds) {
    const [lack, thing] = /have no (embedding|text|labels)/.exec(kind) ?? []
    const file = thing && sourceOf(kind, thing, files)
    if (file) message = message.replace(kind, () => kind.replace(lack!, `${lack} in ${file}`))
  }
  const from = namedIn(kinds[0]!, files)
  if (from === undefined) return new KithError(error.code, message)
  const line = await lineOf(from, error.id)
  const place = line === undefined ? from : `${from}:${line}`
  return new KithError(error.code, `${place}: ${message}`)
}

/** Returns the file that should have an embedding, a text or labels. */
function sourceOf(kind: string, thing: string, files: JoinFiles): string | undefined {
  if (thing === 'labels') return files.labels
  const ofQueries = kind.startsWith('queries')
  if (thing === 'text') return ofQueries ? files.queryText : files.corpus
  return ofQueries ? files.queries : files.docs
}

/** Returns the file that mentions the ids of a kind. */
function namedIn(kind: string, files: JoinFiles): string | undefined {
  if (kind.startsWith('judged documents')) return files.qrels
  return kind.startsWith('labeled documents') ? (files.labels ?? files.run) : files.run
}

/** Finds the first line with an id between spaces or quotes; undefined if the file has no lines. */
async function lineOf(file: string, id: string): Promise<number | undefined> {
  if (isStandardInput(file) || /\.json(\.gz)?$/i.test(file)) return undefined
  if (!(await stat(file)).isFile()) return undefined
  const ends = /[\s"]/
  const has = (text: string): boolean => {
    for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
      const [before, after] = [text[at - 1] ?? ' ', text[at + id.length] ?? ' ']
      if (ends.test(before) && ends.test(after)) return true
    }
    return false
  }
  const lines = readLines(file, (text, line) => (has(text) ? line : undefined))
  for await (const line of lines) return line
  return undefined
}

/**
 * The ids with missing data that were left out of the training queries and of the validation
 * queries.
 */
export interface TrainingMissing {
  training: readonly Missing[]
  validation: readonly Missing[]
}

/**
 * Returns the missing ids, or undefined if there are none, so that sidecars and printed results
 * omit the entry.
 */
export function someMissing(missing: TrainingMissing): TrainingMissing | undefined {
  return missing.training.length + missing.validation.length > 0 ? missing : undefined
}
