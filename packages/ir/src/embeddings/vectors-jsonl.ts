import { eachLine, type InputFile, lineError } from '@kith/base'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import type { FileEmbeddings } from './embeddings.ts'
import { RowCollector } from './row-collector.ts'

/** The names under which ids and vectors are looked for, in JSONL and Parquet. */
export const idNames = ['id', '_id', 'docid', 'doc_id', 'pid', 'qid']
export const vectorNames = ['vector', 'embedding', 'embeddings', 'emb']

/** Reads `{"id", "vector"}` per line. */
export async function readJsonVectors(
  input: InputFile,
  budget: number,
  { idColumn, vectorColumn }: { idColumn?: string | undefined; vectorColumn?: string | undefined },
): Promise<FileEmbeddings> {
  const file = input.name
  const collector = new RowCollector(file, budget)
  await eachLine(input, (bytes, from, to, line) => {
    const text = bytes.toString('utf8', from, to)
    if (text.trim() === '') return
    const entry = parseJsonLine(file, line, text)
    const find = (wanted: string | undefined, names: string[]) =>
      wanted === undefined
        ? names.map((name) => entry[name]).find((value) => value !== undefined)
        : entry[wanted]
    const id = jsonId(file, line, idColumn ?? 'id', find(idColumn, idNames))
    const vector = find(vectorColumn, vectorNames)
    if (!Array.isArray(vector)) {
      throw lineError(file, line, `expected ${vectorColumn ?? 'vector'}, a list of numbers`)
    }
    collector.add(id, vector as number[], `line ${line}`)
  })
  return collector.finish()
}

/** A row as a line. Nine digits are enough for every float32 to be read back as it was. */
export function formatJsonVector(id: string, row: Float32Array): string {
  const vector = Array.from(row, (value) => Number(value.toPrecision(9)))
  return `${JSON.stringify({ id, vector })}\n`
}
