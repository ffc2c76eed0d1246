import type { DocumentVectors } from '../data/training-query.ts'

/** Documents with vectors of length 1, for embeddings that are searched by cosine. */
export function unitDocuments(documents: DocumentVectors): DocumentVectors {
  const { rows, dimensions } = documents
  return {
    rows,
    dimensions,
    read: (from, to, into) => unit(documents.read(from, to, into), dimensions),
    gather: (list, into) => unit(documents.gather(list, into), dimensions),
  }
}

/** Stretches rows to length 1, in place; a row of zeros stays. */
function unit(rows: Float32Array, dimensions: number): Float32Array {
  for (let from = 0; from < rows.length; from += dimensions) {
    const row = rows.subarray(from, from + dimensions)
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0))
    if (length > 0) for (let i = 0; i < dimensions; i++) row[i] = row[i]! / length
  }
  return rows
}
