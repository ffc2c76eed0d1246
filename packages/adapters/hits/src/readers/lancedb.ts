import { checkFields } from '../check-arguments.ts'
import {
  denseVector,
  fieldOf,
  idIn,
  nearnessIn,
  numberIn,
  type Reader,
  type RowFields,
  textIn,
} from '../reader.ts'

/**
 * Reads rows of LanceDB, as `toArray()` of a query returns them; a query that
 * selects columns must select the vector's too.
 *
 * @param fields The columns; the vector's is `vector` unless told otherwise.
 */
export function lancedb(fields: RowFields = {}): Reader<object> {
  checkFields(fields, 'lancedb', ['vector', 'text', 'id'])
  const { vector = 'vector', text, id = 'id' } = fields
  return {
    vector: (row) => denseVector(fieldOf(row, vector)),
    text: textIn(text, (row) => row),
    // Of a hybrid search, of a search for words, of one for vectors.
    score: (row) =>
      numberIn(row, '_relevance_score') ?? numberIn(row, '_score') ?? nearnessIn(row, '_distance'),
    id: (row) => idIn(row, id),
    advice: `select the column ${vector}, of float32 or float64`,
  }
}
