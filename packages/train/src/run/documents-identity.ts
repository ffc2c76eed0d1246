import { below, sfcWords } from '@kith/ir/random'
import type { DocumentVectors } from '../data/training-query.ts'
import { Digest } from './digest.ts'

/** Bytes of float32 that are read whole: some seconds. */
const WHOLE = 2 ** 30
/** Rows that stand for all where there are more. */
const SAMPLES = 10_000
/** Numbers that are read at a time. */
const BLOCK = 2 ** 20

/**
 * A digest of the documents. The vectors and ids of all rows are read where that takes seconds.
 * Of larger collections, one row of each of 10,000 equal stretches is read, at a pseudo-random
 * place: other embeddings differ in some of these rows, and a file of which a few rows were changed
 * differs in its version.
 *
 * @param version The version of the documents' file, such as its size and modification time. It counts only where not all rows are read: a copy is the same documents.
 */
export function documentsIdentity(
  documents: DocumentVectors,
  version?: string | undefined,
  whole = WHOLE,
): Readonly<Record<string, unknown>> {
  const { rows, dimensions } = documents
  const all = rows * dimensions * 4 <= whole || rows <= SAMPLES
  const [vectors, ids] = [new Digest(), new Digest()]
  const count = all ? rows : SAMPLES
  const samples = all ? undefined : sampledRows(rows)
  const perBlock = Math.max(1, Math.floor(BLOCK / dimensions))
  for (let from = 0; from < count; from += perBlock) {
    const to = Math.min(count, from + perBlock)
    const block = samples?.subarray(from, to)
    vectors.array(block ? documents.gather(block) : documents.read(from, to))
    for (let i = from; i < to; i++) ids.text(documents.idOf?.(samples?.[i] ?? i))
  }
  return {
    documents: `${rows} × ${dimensions}`,
    'vectors of the documents': vectors.end(),
    'ids of the documents': ids.end(),
    'file of the documents': all ? null : (version ?? null),
  }
}

/** A row of each of as many stretches, the same ones for the same number of rows. */
function sampledRows(rows: number): Uint32Array {
  const words = sfcWords(rows)
  const start = (stretch: number) => Math.floor((stretch * rows) / SAMPLES)
  return Uint32Array.from({ length: SAMPLES }, (_, stretch) => {
    const [from, to] = [start(stretch), start(stretch + 1)]
    return from + below(to - from, words)
  })
}
