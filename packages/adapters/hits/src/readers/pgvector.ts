import { checkFields } from '../check-arguments.ts'
import { denseVector, type Fields, fieldOf, type Reader, textIn } from '../reader.ts'

/**
 * Reads rows of PostgreSQL with pgvector: select the vector's column too. The column
 * may be a `vector` or a `halfvec`, parsed by the driver or in PostgreSQL's own notation.
 *
 * @param fields The columns; the vector's is `embedding` unless told otherwise.
 */
export function pgvector(fields: Fields = {}): Reader<object> {
  checkFields(fields, 'pgvector', ['vector', 'text'])
  const { vector = 'embedding', text } = fields
  return {
    vector: (row) => {
      const value = fieldOf(row, vector)
      return denseVector(typeof value === 'string' ? parsed(value) : value)
    },
    text: textIn(text, (row) => row),
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
