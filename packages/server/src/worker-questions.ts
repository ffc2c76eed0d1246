import type { ErrorParts } from '@kith/base/pool'
import type { Settings } from '@kith/core'
import type { Role } from '@kith/encoder'
import type { TextEmbedder } from './embedder.ts'
import type { EmbeddedText } from './embedding-cache.ts'
import type { Access } from './guard.ts'
import type { Limits } from './limits.ts'
import type { Figures } from './metrics.ts'
import type { Hit, Search } from './searcher.ts'

/** The inputs of a worker process. */
export interface WorkerPlan {
  access: Access
  port: number
  limits: Limits
  strict: boolean
  /** Without statistics, which are no plain data. */
  settings: Settings
  statistics: Uint8Array | undefined
  /** The model's name in answers. */
  model: string
  /** The encoder that the first process has, if it has one. */
  embedder: Pick<TextEmbedder, 'name' | 'dimensions' | 'maxTokens'> | undefined
  /** The store that the first process has, if it has one. */
  searcher: { dimensions: number | undefined } | undefined
}

/** Questions of the first process to a worker. */
export interface ToWorkers {
  /** Starts its server; the answer is its address. */
  start(plan: WorkerPlan): Promise<string>
  /** Its metrics. */
  figures(_: undefined): Promise<Figures>
  /** Finishes the requests under way. */
  stop(_: undefined): Promise<void>
}

/** Questions of a worker to the first process, which has the encoder, the cache and the store. */
export interface ToFirst {
  embed(
    question: { texts: readonly string[]; role: Role },
    signal: AbortSignal,
  ): Promise<EmbeddedText[]>
  search(question: Search, signal: AbortSignal): Promise<Hit[]>
  vectors(ids: readonly string[]): Promise<(Float32Array | undefined)[]>
  /** Says that it hears questions now. */
  ready(_: undefined): void
  /** The metrics of all processes as text. */
  metrics(_: undefined): Promise<string>
  /** Tells of an error whose cause clients do not get. */
  report(error: ErrorParts): void
}
