import type { SparseCounts, WordnetCollection } from '@kith/datasets'
import { sparseDepth, splits } from '@kith/datasets/internal'
import type { Output } from './output.ts'

/** Prints the contents of a collection and how many sparse labels were drawn. */
export function tellDataset(
  output: Output,
  folder: string,
  { documents, queries }: WordnetCollection,
  seconds: number,
  sparse: SparseCounts | undefined,
): void {
  const counts = Object.fromEntries(
    splits.map((split) => [split, queries.filter((query) => query.split === split).length]),
  )
  const sizes = Object.entries(counts).map(([split, count]) => `${split} ${count}`)
  const lines = [`${folder}: ${documents.length} documents; queries: ${sizes.join(', ')}`]
  if (sparse) {
    lines.push(
      `sparse labels: one relevant document for each of ${sparse.queries} queries; ${sparse.without} queries have none among their first ${sparseDepth} documents`,
    )
  }
  output.result(
    { folder, documents: documents.length, queries: counts, seconds, sparse },
    lines.join('\n'),
  )
}
