import type { Embeddings } from './embeddings.ts'
import { lineError } from './file-error.ts'
import { eachLine, parseJsonLine } from './lines.ts'
import { RowCollector } from './row-collector.ts'

/** The names under which ids and vectors are looked for, in JSONL and Parquet. */
export const idNames = ['id', '_id', 'docid', 'doc_id', 'pid', 'qid']
export const vectorNames = ['vector', 'embedding', 'embeddings', 'emb']

/** Reads `{"id", "vector"}` per line. */
export async function readJsonVectors(
  file: string,
  budget: number,
  { idColumn, vectorColumn }: { idColumn?: string | undefined; vectorColumn?: string | undefined },
): Promise<Embeddings> {
  const collector = new RowCollector(file, budget)
  await eachLine(file, (bytes, from, to, line) => {
    const text = bytes.toString('utf8', from, to)
    if (text.trim() === '') return
    const entry = parseJsonLine(file, line, text)
    const find = (wanted: string | undefined, names: string[]) =>
      wanted === undefined
        ? names.map((name) => entry[name]).find((value) => value !== undefined)
        : entry[wanted]
    const id = find(idColumn, idNames)
    const vector = find(vectorColumn, vectorNames)
    if (typeof id !== 'string' && typeof id !== 'number') {
      throw lineError(file, line, `expected ${idColumn ?? 'id'}, a string or a number`)
    }
    if (!Array.isArray(vector)) {
      throw lineError(file, line, `expected ${vectorColumn ?? 'vector'}, a list of numbers`)
    }
    collector.add(String(id), vector as number[], `line ${line}`)
  })
  return collector.finish()
}

/** A row as a line. Nine digits are enough for every float32 to be read back as it was. */
export function formatJsonVector(id: string, row: Float32Array): string {
  const vector = Array.from(row, (value) => Number(value.toPrecision(9)))
  return `${JSON.stringify({ id, vector })}\n`
}
