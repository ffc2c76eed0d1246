import {
  type Background,
  type Calibration,
  KithError,
  type PartialSettings,
  termStatisticsToBytes,
} from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import { fittingBackground, type SearchStore, withStatistics } from '@kith/stores/internal'
import type { ServerState } from './app.ts'
import type { WorkerPlan } from './channel.ts'
import { Embedder } from './embedder.ts'
import { checkAccess } from './guard.ts'
import { openHttpServer } from './http-server.ts'
import { type Limits, resolveLimits } from './limits.ts'
import { Metrics } from './metrics.ts'
import { Ranker } from './ranker.ts'
import { Searcher } from './searcher.ts'
import type { TextModel } from './text-model.ts'
import { type Shared, Workers } from './workers.ts'

/** Options of a rerank server. */
export interface ServeOptions {
  /** The host to listen on. Default: this machine only. */
  host?: string | undefined
  /** The port to listen on. Default: 8080; 0 chooses any free port. */
  port?: number | undefined
  /** API keys; a request must send one of them. */
  keys?: readonly string[] | undefined
  /** Whether other machines may send requests without a key. */
  open?: boolean | undefined
  /** Loads the model that embeds texts; without it, requests must include embeddings. */
  openModel?: (() => Promise<TextModel>) | undefined
  /** The store that `/v1/search` searches. The server closes it. */
  store?: SearchStore | undefined
  settings?: PartialSettings | undefined
  /**
   * The source of term statistics for the BM25 score if `settings` have none: all documents of the
   * store at the start, or each request alone. Default: store.
   */
  statistics?: 'store' | 'context' | undefined
  /** The scale on which relevance is estimated. Default: the background that the store keeps. */
  background?: Background | undefined
  /** Fits the estimated relevance to judged queries. */
  calibration?: Calibration | undefined
  limits?: Partial<Limits> | undefined
  /**
   * Whether a text with more characters or tokens than the limits is an error (413). By default,
   * such a text is truncated and counted in the answer.
   */
  strict?: boolean | undefined
  /**
   * The number of processes that answer requests. Default: 1, this process. More are child
   * processes of this process, which keeps the encoder, the cache and the store, and ends the child
   * processes.
   */
  workers?: number | undefined
  /** Called with errors whose cause clients do not see. Default: `console.error`. */
  onError?: ((error: unknown) => void) | undefined
}

/** The default address of a server: this machine only. */
export const defaultAddress = { host: '127.0.0.1', port: 8080 } as const

/** A server that accepts requests. */
export interface RunningServer {
  readonly url: string
  /** Stops accepting requests, finishes the requests in progress, then ends. */
  close(): Promise<void>
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a rerank server; the promise resolves when the server accepts requests.
 *
 * ```ts
 * await using server = await startServer({ port: 8080, openModel: () => openTextModel('minilm', {}) })
 * ```
 */
export async function startServer(options: ServeOptions = {}): Promise<RunningServer> {
  const { host = defaultAddress.host, port = defaultAddress.port } = options
  const { keys = [], open = false, store, openModel, workers = 1, strict = false } = options
  let embedder: Embedder | undefined
  const release = async (): Promise<void> => {
    await embedder?.close()
    await store?.close()
  }
  try {
    const access = { host, keys, open }
    checkAccess(access)
    checkWorkers(workers)
    const limits = resolveLimits(options.limits)
    const settings = await withStatistics(
      resolveSettings(options.settings),
      store,
      options.statistics,
    )
    const state: ServerState = { inProgress: 0, stopping: false }
    const metrics = new Metrics({
      inProgress: () => state.inProgress,
      waiting: () => embedder?.waiting ?? 0,
      cached: () => embedder?.cached ?? 0,
    })
    const model = await openModel?.()
    embedder = model && new Embedder(model, limits, metrics)
    if (store) {
      await model?.adapter?.checkDocuments(async (ids) => {
        const found = await store.fetch(ids, { vectors: true, texts: false })
        return found.map((document) => document?.vector)
      })
    }
    const shared: Shared = {
      embedder,
      searcher: store && new Searcher(store, limits),
      metrics,
      onError: options.onError ?? console.error,
    }
    const common = { access, limits, strict, model: embedder?.name ?? 'kith' }
    const background = fittingBackground(
      options.background ?? (await store?.background?.()),
      {
        name: store ? 'the store' : 'the server',
        dimensions: store?.dimensions ?? embedder?.dimensions,
        // The documents of a store may come from a different model than the queries, such as a
        // trained one.
        model: store ? undefined : embedder?.name,
      },
      { whose: 'the background', advice: 'make it from these documents with kith background' },
    )
    const scale = { background, calibration: background && options.calibration }
    const ranker = new Ranker(settings, embedder, shared.searcher, scale)
    const metricsText = () => metrics.text()
    const server = await (workers > 1
      ? Workers.start(workers, workerPlan({ ...common, port, settings, scale }, shared), shared)
      : openHttpServer({ ...shared, ...common, state, ranker, metricsText }, port))
    const close = async (): Promise<void> => {
      await server.close()
      await release()
    }
    return { url: server.url, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await release()
    throw error
  }
}

function checkWorkers(workers: number): void {
  if (Number.isInteger(workers) && workers > 0) return
  throw new KithError('BAD_SETTING', `workers must be a whole number of at least 1, got ${workers}`)
}

/** Returns the options of worker processes, as plain data. */
function workerPlan(
  {
    settings,
    ...plan
  }: Pick<WorkerPlan, 'access' | 'port' | 'limits' | 'strict' | 'settings' | 'scale' | 'model'>,
  { embedder, searcher }: Shared,
): WorkerPlan {
  const { statistics, ...others } = settings
  return {
    ...plan,
    settings: others,
    statistics: statistics && termStatisticsToBytes(statistics),
    embedder: embedder && {
      name: embedder.name,
      dimensions: embedder.dimensions,
      maxTokens: embedder.maxTokens,
    },
    searcher: searcher && { dimensions: searcher.dimensions },
  }
}
