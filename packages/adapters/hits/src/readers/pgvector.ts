import { checkFields } from '../check-arguments.ts'
import {
  denseVector,
  fieldOf,
  idIn,
  nearnessIn,
  type Reader,
  type RowFields,
  textIn,
} from '../reader.ts'

/** The columns of a row. */
export interface PgvectorFields extends RowFields {
  /** The column with the distance to the query, such as `embedding <=> $1 AS distance`. */
  distance?: string | undefined
}

/**
 * Reads rows of PostgreSQL with pgvector: select the vector's column too. The column
 * may be a `vector` or a `halfvec`, parsed by the driver or in PostgreSQL's own notation.
 *
 * @param fields The columns; the vector's is `embedding` unless told otherwise.
 */
export function pgvector(fields: PgvectorFields = {}): Reader<object> {
  checkFields(fields, 'pgvector', ['vector', 'text', 'distance', 'id'])
  const { vector = 'embedding', text, distance, id = 'id' } = fields
  return {
    vector: (row) => {
      const value = fieldOf(row, vector)
      return denseVector(typeof value === 'string' ? parsed(value) : value)
    },
    text: textIn(text, (row) => row),
    score: distance === undefined ? undefined : (row) => nearnessIn(row, distance),
    id: (row) => idIn(row, id),
    advice: `select the column ${vector} as a vector or halfvec`,
  }
}

/** PostgreSQL writes a vector as [1,2.5,-3e-05], which JSON reads. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
