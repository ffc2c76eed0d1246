import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { KithError, type PartialSettings, resolveSettings, type Settings } from '@kith/core'
import { createApp, type ServerState } from './app.ts'
import { Embedder } from './embedder.ts'
import { checkAccess } from './guard.ts'
import { type Limits, resolveLimits } from './limits.ts'
import { Metrics } from './metrics.ts'
import { Ranker } from './ranker.ts'
import { Searcher, type SearchStore } from './searcher.ts'
import type { TextModel } from './text-model.ts'

/** Options of a rerank server. */
export interface ServeOptions {
  /** Default: this machine only. */
  host?: string | undefined
  /** Default: 8080; 0 takes any that is free. */
  port?: number | undefined
  /** Keys of which a request must bring one. */
  keys?: readonly string[] | undefined
  /** Whether other machines may ask without a key. */
  open?: boolean | undefined
  /** Loads the model that embeds texts; without one, requests must bring embeddings. */
  openModel?: (() => Promise<TextModel>) | undefined
  /** Where `/v1/search` looks. The server closes it. */
  store?: SearchStore | undefined
  settings?: PartialSettings | undefined
  /**
   * Whose terms are counted for the words score, where `settings` have no statistics: those of all
   * documents of the store, as they are at the start, or those of each request alone. Default: store.
   */
  statistics?: 'store' | 'context' | undefined
  limits?: Partial<Limits> | undefined
  /** Called with errors whose cause clients do not get; default: `console.error`. */
  onError?: ((error: unknown) => void) | undefined
}

/** Where a server listens that is told nothing else: for this machine only. */
export const defaultAddress = { host: '127.0.0.1', port: 8080 } as const

/** A server that takes requests. */
export interface RunningServer {
  readonly url: string
  /** Takes no more requests, finishes those under way, then ends. */
  close(): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Connections at the same time; more are refused by the system. */
const CONNECTIONS = 1024
/** Milliseconds that headers may take, and that an idle connection is kept. */
const HEADERS_TIME = 10_000
const IDLE_TIME = 30_000

/** Starts a rerank server; it takes requests when the promise is fulfilled. */
export async function startServer(options: ServeOptions = {}): Promise<RunningServer> {
  const { host = defaultAddress.host, port = defaultAddress.port } = options
  const { keys = [], open = false, store, openModel } = options
  let embedder: Embedder | undefined
  const release = async (): Promise<void> => {
    await embedder?.close()
    await store?.close()
  }
  try {
    const access = { host, keys, open }
    checkAccess(access)
    const limits = resolveLimits(options.limits)
    const settings = await withStatistics(resolveSettings(options.settings), options)
    const state: ServerState = { underWay: 0, stopping: false }
    const metrics = new Metrics({
      underWay: () => state.underWay,
      waiting: () => embedder?.waiting ?? 0,
      cached: () => embedder?.cached ?? 0,
    })
    embedder = openModel && new Embedder(await openModel(), limits, metrics)
    const app = createApp({
      limits,
      access,
      metrics,
      state,
      embedder,
      searcher: store && new Searcher(store, limits),
      ranker: new Ranker(settings, embedder),
      model: embedder?.name ?? 'kith',
      onError: options.onError ?? console.error,
    })
    const server = httpServer(app, limits)
    await listen(server, port, host)
    const close = async (): Promise<void> => {
      state.stopping = true
      await stop(server, limits.seconds)
      await release()
    }
    return { url: urlOf(server), close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await release()
    throw error
  }
}

/** Settings with the store's term statistics, where they count and there are no others. */
async function withStatistics(
  settings: Settings,
  { store, statistics = 'store' }: ServeOptions,
): Promise<Settings> {
  const { mix, terms, statistics: given } = settings
  if (mix !== 'words') return settings
  if (given && given.terms !== terms) {
    const problem = `the statistics are of terms ${given.terms}, setting terms is ${String(terms)}`
    throw new KithError('BAD_INPUT', problem)
  }
  if (given || statistics === 'context') return settings
  const found = await store?.terms?.()
  return found?.terms === terms ? { ...settings, statistics: found } : settings
}

function httpServer(app: RequestListener, { seconds }: Limits): Server {
  const requestTimeout = Math.ceil(seconds * 1000)
  const server = createServer(
    {
      headersTimeout: Math.min(HEADERS_TIME, requestTimeout),
      requestTimeout,
      keepAliveTimeout: IDLE_TIME,
      connectionsCheckingInterval: 1000,
    },
    app,
  )
  server.maxConnections = CONNECTIONS
  // Clients that do not read their answers would keep these in memory.
  server.timeout = 2 * requestTimeout
  return server
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'it is taken, choose another --port' : message
      reject(new KithError('BAD_INPUT', `cannot listen on ${host} port ${port}: ${reason}`))
    })
    server.listen(port, host, resolve)
  })
}

/** Waits for the requests under way, but no longer than one may take. */
async function stop(server: Server, seconds: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000)
  await closed
  clearTimeout(deadline)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
