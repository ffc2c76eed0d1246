import type { Matrix } from '@kith/core'
import { TypeScriptScanner } from './typescript-scanner.ts'
import { WasmScanner } from './wasm-scanner.ts'

/** A batch of queries, and how many documents to find for each. */
export interface Batch {
  queries: Matrix
  /** The row of the batch's first query among all queries, for messages. */
  firstQuery: number
  /** Number of documents to keep per query, at least 1. */
  top: number
  cosine: boolean
  /** Whether codes select the documents to score; then every query must have a code. */
  codes: boolean
  /** One score per query: documents at or below it are ignored. */
  thresholds: Float32Array | undefined
}

/** Consecutive documents: float32, or half-precision floats as stored in a file. */
export interface Block {
  data: Float32Array | Uint16Array
  /** The row of the block's first document among all documents. */
  firstRow: number
}

/** The best documents of each query of a batch, best first, ties by ascending row. */
export interface Best {
  /** Number of documents of each query, at most `top`. */
  counts: Uint32Array
  /** Query q's documents start at q · top. */
  rows: Uint32Array<ArrayBuffer>
  scores: Float32Array<ArrayBuffer>
}

/** Searches documents, block by block, for the best documents of each query of a batch. */
export interface Scanner {
  begin(batch: Batch): void
  /** Scans a block. Blocks must come in row order: of equal scores, the first document stays. */
  scan(block: Block): void
  finish(): Best
}

/** The parameters of a scanner, in a form that can be sent to a worker thread. */
export interface ScannerRecipe {
  /**
   * The compiled kernel, a `WebAssembly.Module` (a type that not every program has); undefined
   * selects plain TypeScript.
   */
  module: object | undefined
}

/** Creates a scanner with its own memory. */
export function createScanner({ module }: ScannerRecipe): Scanner {
  return module ? new WasmScanner(module as WebAssembly.Module) : new TypeScriptScanner()
}
