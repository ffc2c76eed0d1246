import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { isPipeOrDevice, isStandardInput } from '@kith/base'
import type { Qrels } from '@kith/ir'
import { digestOf } from './paths.ts'
import { type ReadSidecar, readSidecar } from './sidecar.ts'

/** Queries whose judgments a model or settings were learned from, as sidecars name them. */
export interface LearnedQueries {
  /** The purpose that the judgments were used for. */
  how: 'train' | 'choose the checkpoint of' | 'tune' | 'calibrate'
  /** The model or the settings that learned. */
  what: string
  /** The file of the judgments or labels, and a digest of its contents unless it was a pipe. */
  judgments: string
  sha256?: string | undefined
  /** Digests of the queries with their relevant documents, 8 characters each. */
  queries: string
}

/** A query that something was learned from, with the ids of the documents judged relevant. */
export interface LearnedQuery {
  id: string
  /** Empty if only labels are known, not the judgments that they were made of. */
  relevant: readonly string[]
}

/** The characters of one query's digest: 48 bits, so that a million queries hardly ever share one. */
const LENGTH = 8

/** Names the queries that something was learned from. */
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
 * Counts the queries that were learned from. A query is known by its id and its relevant documents,
 * since many datasets call their queries 1, 2, 3; documents may be relevant from any grade on.
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
 * The queries that files were learned from, by the sidecars of the files and of their models.
 * A file without a sidecar, or with one of other contents, has none.
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
  // A neighbor that Kith has not written, such as one that is no JSON, says nothing.
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
