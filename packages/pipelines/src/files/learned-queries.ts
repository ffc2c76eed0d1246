import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { isPipeOrDevice, isStandardInput } from '@kith/base'
import type { Qrels } from '@kith/ir'
import { digestOf } from './paths.ts'
import { type ReadSidecar, readSidecar } from './sidecar.ts'

/** The queries from whose judgments a model or settings were learned, as sidecars record them. */
export interface LearnedQueries {
  /** The purpose for which the judgments were used. */
  how: 'train' | 'choose the checkpoint of' | 'tune' | 'calibrate'
  /** The model or the settings that were learned. */
  what: string
  /** The file of the judgments or labels, and a digest of its contents unless it was a pipe. */
  judgments: string
  sha256?: string | undefined
  /** Digests of the queries with their relevant documents, 8 characters each. */
  queries: string
}

/** A query from which a model or settings were learned, with the ids of its relevant documents. */
export interface LearnedQuery {
  id: string
  /** Empty if only labels are known, not the judgments from which they were made. */
  relevant: readonly string[]
}

/**
 * The characters of a query's digest: 48 bits, so that collisions among a million queries are rare.
 */
const LENGTH = 8

/** Records the queries from which a model or settings were learned. */
export async function learnedQueries(
  how: LearnedQueries['how'],
  what: string,
  judgments: string,
  learned: Iterable<LearnedQuery>,
): Promise<LearnedQueries> {
  const isPipe = isStandardInput(judgments) || isPipeOrDevice(judgments)
  const sha256 = isPipe ? undefined : (await digestOf(judgments)).sha256
  const queries = Array.from(learned, ({ id, relevant }) => digestOfQuery(id, relevant))
  return { how, what, judgments, sha256, queries: queries.sort().join('') }
}

/**
 * Counts the queries from which a model or settings were learned. A query is identified by its id
 * and its relevant documents, since many datasets number their queries 1, 2, 3; documents may be
 * relevant from any grade on.
 */
export function countLearned(
  { queries }: LearnedQueries,
  ids: readonly string[],
  qrels: Qrels,
): number {
  const known = new Set<string>()
  for (let at = 0; at < queries.length; at += LENGTH) known.add(queries.slice(at, at + LENGTH))
  return ids.filter((id) => {
    const judged = [...(qrels.get(id) ?? [])].filter(([, grade]) => grade > 0)
    const levels = new Set(judged.map(([, grade]) => grade))
    const sets = Array.from(levels, (level) => judged.filter(([, grade]) => grade >= level))
    return [[], ...sets].some((set) =>
      known.has(
        digestOfQuery(
          id,
          set.map(([doc]) => doc),
        ),
      ),
    )
  }).length
}

function digestOfQuery(id: string, relevant: readonly string[]): string {
  const query = JSON.stringify([id, ...relevant.toSorted()])
  return createHash('sha256').update(query).digest('base64url').slice(0, LENGTH)
}

/**
 * Returns the queries from which files were learned, by the sidecars of these files. Ignores a
 * sidecar that records another size of its file.
 */
export async function learnedBehind(files: readonly string[]): Promise<LearnedQueries[]> {
  const found = new Map<string, LearnedQueries>()
  for (const file of files) {
    for (const entry of await learnedOf(file.replace(/(?<=.)[/\\]+$/, ''))) {
      found.set(JSON.stringify([entry.how, entry.what, entry.sha256, entry.queries]), entry)
    }
  }
  return [...found.values()]
}

async function learnedOf(file: string): Promise<LearnedQueries[]> {
  // A file that Kith did not write, for example one that is not JSON, counts as no sidecar.
  const sidecar: ReadSidecar | undefined = await readSidecar(file).catch(() => undefined)
  const { learnedFrom, output } = sidecar ?? {}
  if (!Array.isArray(learnedFrom)) return []
  const size = output && (await stat(file).catch(() => undefined))?.size
  return size === output?.bytes ? learnedFrom.filter(isLearned) : []
}

function isLearned(value: unknown): value is LearnedQueries {
  const { how, what, judgments, queries } = (value ?? {}) as Record<string, unknown>
  return [how, what, judgments, queries].every((part) => typeof part === 'string')
}
