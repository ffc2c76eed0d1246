/** Real datasets with MiniLM embeddings, where they are beside the project. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TitledText } from '../src/index.ts'

const FIRST = 200

const data = fileURLToPath(new URL('../../../../shared/data', import.meta.url))
export const haveDatasets = existsSync(data)
if (!haveDatasets) console.warn(`skipped: no real datasets at ${data}`)

/** A judged query with its nearest documents, by their row. */
export interface JudgedQuery {
  vector: Float32Array
  text: string
  candidates: number[]
  vectors: Float32Array[]
  grades: ReadonlyMap<number, number>
}

/** A dataset with its MiniLM embeddings. */
export interface RealDataset {
  texts: TitledText[]
  documents: Float32Array[]
  queries: JudgedQuery[]
}

/** The documents and judged queries of a dataset. */
export function readDataset(name: string): RealDataset {
  const folder = `${data}/${name}`
  const embeddings = `${folder}/embeddings/all-MiniLM-L6-v2`
  const documents = readRows(`${embeddings}/docs.npy`)
  const queryRows = readRows(`${embeddings}/queries.npy`)
  const rowOf = new Map(readLines(`${embeddings}/docs.ids.txt`).map((id, row) => [id, row]))
  const texts: TitledText[] = documents.map(() => ({ text: '' }))
  for (const { _id, title, text } of readJson(`${folder}/corpus.jsonl`)) {
    texts[rowOf.get(_id!)!] = { title, text: text! }
  }
  const queryTexts = new Map(
    readJson(`${folder}/queries.jsonl`).map(({ _id, text }) => [_id, text]),
  )
  const judged = new Map<string, Map<number, number>>()
  for (const line of readLines(`${folder}/qrels/test.tsv`).slice(1)) {
    const [query, document, grade] = line.split('\t')
    if (!judged.has(query!)) judged.set(query!, new Map())
    judged.get(query!)!.set(rowOf.get(document!) ?? -1, Number(grade))
  }
  const queries = readLines(`${embeddings}/queries.ids.txt`).flatMap((id, row): JudgedQuery[] => {
    const grades = judged.get(id)
    if (!grades || ![...grades.values()].some((grade) => grade > 0)) return []
    const vector = queryRows[row]!
    const candidates = nearest(vector, documents)
    const vectors = candidates.map((document) => documents[document]!)
    return [{ vector, text: queryTexts.get(id)!, candidates, vectors, grades }]
  })
  return { texts, documents, queries }
}

/** The rows with the largest inner products, ties by the earlier row. */
function nearest(query: Float32Array, documents: readonly Float32Array[]): number[] {
  const scores = Float32Array.from(documents, (document) => {
    let sum = 0
    for (let i = 0; i < query.length; i++) sum += query[i]! * document[i]!
    return sum
  })
  const cut = scores.toSorted().at(-Math.min(FIRST, scores.length))!
  return Array.from(scores.keys())
    .filter((row) => scores[row]! >= cut)
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .slice(0, FIRST)
}

/** The rows of a matrix of float32 in NumPy's format. */
function readRows(file: string): Float32Array[] {
  const bytes = readFileSync(file)
  const start = 10 + bytes.readUInt16LE(8)
  const head = bytes.toString('latin1', 10, start)
  const [, rows, columns] = /'<f4'.*\((\d+), (\d+)\)/.exec(head)!.map(Number)
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset + start))
  return Array.from({ length: rows! }, (_, row) =>
    numbers.subarray(row * columns!, (row + 1) * columns!),
  )
}

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n')
}

function readJson(file: string): Record<string, string>[] {
  return readLines(file).map((line) => JSON.parse(line))
}
