import { type KernelName, KithError, kernel as kernelHere, type Matrix } from '@kith/core'
import type { Embeddings } from '@kith/ir'
import { CODE_BLOCK, encodeTwice, haveCodes, slackFor } from './query-codes.ts'
import { type ExactSearchResult, type Metric, recipeFor, searchExact } from './search-exact.ts'
import type { WasmExports } from './wasm-layout.ts'

/** Documents whose rows are read from a file by position. */
type RowSource = Pick<Embeddings, 'rows' | 'dimensions' | 'read' | 'gather'>

/** The compiler uses the memory below this address, which is also the size of a page. */
const PAGE = 2 ** 16
/** Maximum bytes of a kernel's memory. */
const MOST_BYTES = PAGE * 2 ** 16
/** Bytes of documents to encode or to score at a time. */
const READ_BYTES = 2 ** 21
/** Number of documents to scan before other tasks may run: a few milliseconds. */
const SCANNED_ROWS = 2 ** 15
/** Number of documents in a tile of scan-bounds.ts. */
const TILE = 128
/** Bytes of a document's facts, see assembly/codes.ts. */
const FACTS = 12
/** If the bounds leave more than this fraction of the documents open, all documents are scored. */
const MOST_OPEN = 1 / 4
/** Maximum number of queries that are searched one after the other in the codes. */
const FEW = 32
/**
 * Documents to score per requested document. On embeddings of real texts and on random vectors,
 * more documents are hardly ever needed.
 */
const SCORED = 2

/**
 * Codes of documents, a quarter of the size of their vectors in float32. A search finds in the
 * codes which documents may be among the best, and reads only these documents from their file.
 */
export class DocumentCodes {
  readonly #documents: RowSource
  readonly #memory: WebAssembly.Memory
  readonly #wasm: WasmExports
  readonly #layout: CodeLayout
  readonly #kernel: KernelName
  /** The search that uses the kernel's memory. */
  #running: Promise<unknown> = Promise.resolve()

  private constructor(documents: RowSource, layout: CodeLayout, kernel: KernelName) {
    this.#documents = documents
    this.#layout = layout
    this.#kernel = kernel
    try {
      this.#memory = new WebAssembly.Memory({ initial: Math.ceil(layout.end / PAGE) })
    } catch {
      throw new KithError('OUT_OF_MEMORY', `not enough memory for ${layout.end} bytes of codes`)
    }
    const imports = { env: { memory: this.#memory } }
    const module = recipeFor(kernel).module as WebAssembly.Module
    this.#wasm = new WebAssembly.Instance(module, imports).exports as unknown as WasmExports
  }

  /**
   * Encodes all documents. Returns undefined if documents have no codes: their dimensions are no
   * multiple of 16, a vector is too long, there are too many, or the kernel is plain TypeScript.
   */
  static async of(
    documents: RowSource,
    kernel: KernelName = kernelHere(),
  ): Promise<DocumentCodes | undefined> {
    const { rows, dimensions } = documents
    const layout = layoutFor(rows, dimensions)
    if (kernel === 'typescript' || dimensions % CODE_BLOCK > 0 || layout.end > MOST_BYTES) {
      return undefined
    }
    const codes = new DocumentCodes(documents, layout, kernel)
    return (await codes.#encode()) ? codes : undefined
  }

  /**
   * Returns the same as `searchExact`, bit for bit. Many queries share a pass over the file, which
   * then takes less time than the codes.
   */
  async search(queries: Matrix, top: number, metric: Metric): Promise<ExactSearchResult> {
    if (queries.rows > FEW || !haveCodes(queries)) return this.#scoreAll(queries, top, metric)
    const perQuery = Math.min(top, this.#documents.rows)
    const rows = new Uint32Array(queries.rows * perQuery)
    const scores = new Float32Array(rows.length)
    for (let q = 0; q < queries.rows; q++) {
      const { dimensions } = queries
      const data = queries.data.subarray(q * dimensions, (q + 1) * dimensions)
      const query = { data, rows: 1, dimensions }
      const search = this.#running.then(() => this.#searchOne(query, top, metric))
      this.#running = search.catch(() => {})
      const found = await search
      rows.set(found.rows, q * perQuery)
      scores.set(found.scores, q * perQuery)
    }
    return { rows, scores, perQuery }
  }

  async #searchOne(query: Matrix, top: number, metric: Metric): Promise<ExactSearchResult> {
    const { rows, dimensions } = this.#documents
    const { staged, stagedRows } = this.#layout
    const options = { top, metric, kernel: this.#kernel, workers: 0 }
    for (let count = SCORED * top + TILE; count <= rows * MOST_OPEN; count *= 4) {
      const open = await this.#highest(query, count, metric)
      const into =
        count > stagedRows
          ? undefined
          : new Float32Array(this.#memory.buffer, staged, count * dimensions)
      const memory = this.#documents.gather(open.rows, into)
      const found = await searchExact(query, { memory, rows: count, dimensions }, options)
      // Every other document scores at most `bound`: it does not even tie with the last document.
      if (found.scores[top - 1]! > open.bound) {
        return { ...found, rows: found.rows.map((at) => open.rows[at]!) }
      }
    }
    return this.#scoreAll(query, top, metric)
  }

  #scoreAll(queries: Matrix, top: number, metric: Metric): Promise<ExactSearchResult> {
    return searchExact(queries, this.#documents, { top, metric, kernel: this.#kernel })
  }

  /** Encodes all documents; returns false if a vector is too long for a code. */
  async #encode(): Promise<boolean> {
    const { rows, dimensions } = this.#documents
    const { staged, codes, facts, inverses, stagedRows } = this.#layout
    const slack = slackFor(dimensions)
    for (let from = 0; from < rows; from += stagedRows) {
      const count = Math.min(stagedRows, rows - from)
      const into = new Float32Array(this.#memory.buffer, staged, count * dimensions)
      this.#documents.read(from, from + count, into)
      this.#wasm.inverseLengths(staged, count, dimensions / 4, 1, inverses + 4 * from)
      const to = [codes + from * dimensions, facts + from * FACTS] as const
      if (!this.#wasm.encodeRows(staged, count, dimensions / CODE_BLOCK, slack, 0, ...to)) {
        return false
      }
      await otherTasks()
    }
    return true
  }

  /**
   * Finds the documents with the highest bounds of their scores, in ascending order, and the
   * highest bound of the other documents.
   */
  async #highest(
    query: Matrix,
    count: number,
    metric: Metric,
  ): Promise<{ rows: Uint32Array; bound: number }> {
    const { pair, own, sums, state, scores, rows, codes, facts, inverses } = this.#layout
    const { rows: total, dimensions } = this.#documents
    const [integers, floats] = this.#begin(query, metric)
    for (let from = 0; from < total; from += SCANNED_ROWS) {
      this.#wasm.scanBounds(
        pair,
        own,
        codes + from * dimensions,
        facts + from * FACTS,
        metric === 'cosine' ? inverses + 4 * from : 0,
        Math.min(SCANNED_ROWS, total - from),
        from,
        dimensions / CODE_BLOCK,
        sums,
        count,
        scores,
        rows,
        state,
      )
      await otherTasks()
    }
    const found = integers[state / 4]!
    const bound =
      found > count ? this.#wasm.select(scores, rows, found, count) : floats[state / 4 + 1]!
    return { rows: integers.slice(rows / 4, rows / 4 + count), bound }
  }

  /** Writes two codes of a query, and resets the candidates. */
  #begin({ data, dimensions }: Matrix, metric: Metric): [Uint32Array, Float32Array] {
    const { pair, own, staged, state } = this.#layout
    const { buffer } = this.#memory
    const [integers, floats] = [new Uint32Array(buffer), new Float32Array(buffer)]
    const bytes = new Int8Array(buffer)
    const query = data.subarray(0, dimensions)
    let inverse = 1
    if (metric === 'cosine') {
      floats.set(query, staged / 4)
      this.#wasm.inverseLengths(staged, 1, dimensions / 4, 1, own)
      inverse = floats[own / 4]!
    }
    const codes = [new Int8Array(dimensions), new Int8Array(dimensions)] as const
    const facts = encodeTwice(query, ...codes)
    for (const [i, { scale, offset }] of facts.entries()) {
      for (let from = 0; from < dimensions; from += CODE_BLOCK) {
        const block = codes[i]!.subarray(from, from + CODE_BLOCK)
        bytes.set(block, pair + 2 * from + i * CODE_BLOCK)
      }
      floats[own / 4 + 2 * i] = scale * inverse
      integers[own / 4 + 2 * i + 1] = offset
    }
    floats.set([facts[0].length * inverse, facts[1].error * inverse], own / 4 + 4)
    integers[state / 4] = 0
    floats[state / 4 + 1] = -Infinity
    return [integers, floats]
  }
}

/** The layout of the kernel's memory; pointers are byte offsets. */
type CodeLayout = ReturnType<typeof layoutFor>

function layoutFor(rows: number, dimensions: number) {
  const stagedRows = 4 * Math.max(1, Math.floor(READ_BYTES / (16 * dimensions)))
  const groups = Math.ceil(rows / 4)
  // Twice the candidates of a search, and a tile.
  const room = 2 * Math.ceil(rows * MOST_OPEN) + TILE
  let end = PAGE
  const bytes = (count: number): number => {
    const start = end
    end += Math.ceil((count + 64) / 64) * 64
    return start
  }
  return {
    stagedRows,
    staged: bytes(stagedRows * dimensions * 4),
    pair: bytes(2 * dimensions),
    own: bytes(6 * 4),
    state: bytes(2 * 4),
    sums: bytes(2 * TILE * 4),
    scores: bytes(room * 4),
    rows: bytes(room * 4),
    inverses: bytes(groups * 16),
    facts: bytes(groups * 4 * FACTS),
    codes: bytes(groups * 4 * dimensions),
    end,
  }
}

/** Lets other tasks of this thread run. */
function otherTasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
