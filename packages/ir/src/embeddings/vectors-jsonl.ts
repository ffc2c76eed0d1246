import { eachLine, FileError, type InputFile, lineError } from '@kith/base'
import { notFinite, toHalves } from '@kith/base/half'
import { IdList } from '../io/id-list.ts'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import { listedIds } from './embedding-ids.ts'
import { type FileEmbeddings, MemoryEmbeddings, sharedArray } from './embeddings.ts'

/** The accepted names of ids and vectors, in JSONL and Parquet. */
export const idNames = ['id', '_id', 'docid', 'doc_id', 'pid', 'qid']
export const vectorNames = ['vector', 'embedding', 'embeddings', 'emb']

/** Reads lines of `{"id", "vector"}`. */
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
      throw lineError(file, line, `${vectorColumn ?? 'vector'} must be a list of numbers`)
    }
    collector.add(id, vector as number[], `line ${line}`)
  })
  return collector.finish()
}

/** Formats a row as a line. Nine digits are enough to read every float32 back exactly. */
export function formatJsonVector(id: string, row: Float32Array): string {
  const vector = Array.from(row, (value) => Number(value.toPrecision(9)))
  return `${JSON.stringify({ id, vector })}\n`
}

/** Numbers per block: the number of rows is known only at the end, and headers are not trusted. */
const BLOCK = 1 << 20

/** Collects rows from formats that can only be read sequentially. */
export class RowCollector {
  readonly #ids = new IdList()
  readonly #blocks: Float32Array[] = []
  #used = 0
  #dimensions = 0

  constructor(
    readonly file: string,
    /** Maximum number of bytes for the rows. */
    readonly budget: number,
    readonly type: 'f16' | 'f32' = 'f32',
  ) {}

  /** Adds a row; `place` names it in errors. */
  add(id: string, values: ArrayLike<number>, place: string): void {
    if (this.#dimensions === 0) this.#dimensions = values.length
    const dimensions = this.#dimensions
    if (values.length !== dimensions || dimensions === 0) {
      const problem = `expected ${dimensions || 'at least 1'} dimensions, got ${values.length}`
      throw new FileError(this.file, place, problem)
    }
    const row = this.#room()
    for (let i = 0; i < dimensions; i++) {
      if (typeof values[i] !== 'number') {
        throw new FileError(
          this.file,
          `${place} column ${i}`,
          `expected a number, got ${values[i]}`,
        )
      }
      row[i] = values[i]!
    }
    const column = notFinite(row)
    if (column >= 0) {
      const problem = 'the value is not a finite float32'
      throw new FileError(this.file, `${place} column ${column}`, problem)
    }
    this.#ids.pushText(id)
  }

  /** Returns all rows as embeddings in memory. */
  finish(): MemoryEmbeddings {
    const rows = this.#ids.length
    if (rows === 0) throw new FileError(this.file, '', 'contains no vectors')
    const memory = sharedArray(rows * this.#dimensions, this.type)
    let at = 0
    for (let block = this.#blocks.shift(); block; block = this.#blocks.shift()) {
      const part = this.#blocks.length === 0 ? block.subarray(0, this.#used) : block
      memory.set(this.type === 'f16' ? toHalves(part) : part, at)
      at += part.length
    }
    const twice = (id: string, row: number, first: number) =>
      new FileError(this.file, `row ${row}`, `id ${id} occurs twice, first in row ${first}`)
    return new MemoryEmbeddings(memory, this.#dimensions, listedIds(this.#ids, twice))
  }

  #room(): Float32Array {
    const dimensions = this.#dimensions
    const bytes = (this.#ids.length + 1) * dimensions * (this.type === 'f16' ? 2 : 4)
    if (bytes > this.budget) {
      const problem = `exceeds the memory budget of ${this.budget} bytes; convert the file to .npy`
      throw new FileError(this.file, '', problem)
    }
    const capacity = Math.max(1, Math.floor(BLOCK / dimensions)) * dimensions
    if (this.#blocks.length === 0 || this.#used === capacity) {
      this.#blocks.push(new Float32Array(capacity))
      this.#used = 0
    }
    this.#used += dimensions
    return this.#blocks.at(-1)!.subarray(this.#used - dimensions, this.#used)
  }
}
