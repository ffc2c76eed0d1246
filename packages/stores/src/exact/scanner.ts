import type { Matrix } from '@kith/core'
import { TypeScriptScanner } from './typescript-scanner.ts'
import { WasmScanner } from './wasm-scanner.ts'

/** A batch of queries, and how many documents each of them wants. */
export interface Batch {
  queries: Matrix
  /** The row that the first of these queries has among all queries, for messages. */
  firstQuery: number
  /** Documents to keep per query, at least 1. */
  top: number
  cosine: boolean
  /** Whether codes, which the queries must have, say which documents need a score. */
  codes: boolean
  /** Scores at or below which a document is of no interest, one per query. */
  thresholds: Float32Array | undefined
}

/** Consecutive documents: float32, or half-precision floats as in a file. */
export interface Block {
  data: Float32Array | Uint16Array
  /** The row of the first of them among all documents. */
  firstRow: number
}

/** The best documents of each query of a batch, best first, ties by the lower row. */
export interface Best {
  /** Documents of each query, at most `top`. */
  counts: Uint32Array
  /** Query q's documents start at q · top. */
  rows: Uint32Array<ArrayBuffer>
  scores: Float32Array<ArrayBuffer>
}

/** Searches documents, block by block, for the best of each query of a batch. */
export interface Scanner {
  begin(batch: Batch): void
  /** Blocks must come in the order of their rows: of equal scores the first seen stays. */
  scan(block: Block): void
  finish(): Best
}

/** The parameters of a scanner, in a form that can be sent to a worker thread. */
export interface ScannerRecipe {
  /** The compiled kernel, a `WebAssembly.Module`, which not every program's types know; plain TypeScript without one. */
  module: object | undefined
}

/** A scanner with separate memory. */
export function createScanner({ module }: ScannerRecipe): Scanner {
  return module ? new WasmScanner(module as WebAssembly.Module) : new TypeScriptScanner()
}
