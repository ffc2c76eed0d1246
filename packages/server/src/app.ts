import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { KithError, type KithErrorCode } from '@kith/core'
import { type Access, guard } from './guard.ts'
import type { Cuts } from './limits.ts'
import type { Metrics } from './metrics.ts'
import { cohereError, overloaded, Problem, unavailable } from './problem.ts'
import { BodyReader } from './read-body.ts'
import { embeddingsRoute, teiEmbedRoute } from './routes/embeddings-route.ts'
import { modelList, openApi, teiInfo } from './routes/openapi.ts'
import { rerankRoute, teiRerankRoute } from './routes/rerank-route.ts'
import type { Route, Services } from './routes/route.ts'
import { searchRoute } from './routes/search-route.ts'

/** The state of a running server. */
export interface ServerState {
  /** The number of requests in progress. */
  inProgress: number
  /** Whether the server is shutting down. */
  stopping: boolean
}

/** The options of the application, besides the services of its routes. */
export interface AppOptions extends Services {
  access: Access
  metrics: Metrics
  /** Returns the metrics of all processes as text. */
  metricsText(): Promise<string>
  state: ServerState
  /** Called with errors that are not caused by a request. */
  onError(error: unknown): void
}

/** The answer to a request. */
interface Answer {
  status: number
  body: string
  headers: Readonly<Record<string, string>>
}

/** The routes that accept JSON. */
export const routes: readonly Route[] = [
  rerankRoute('1'),
  rerankRoute('2'),
  teiRerankRoute,
  teiEmbedRoute,
  embeddingsRoute,
  searchRoute,
]

/**
 * Creates the request listener for all routes, for Node's own HTTP server: the objects of a web
 * framework would take as long as ranking 60 documents.
 */
export function createApp(options: AppOptions): RequestListener {
  const { metrics, metricsText, state, limits, onError } = options
  const admit = guard(options.access)
  const bodies = new BodyReader(limits.body)
  const posts = new Map(routes.map((route) => [route.path, route]))
  const description = openApi(routes)
  const gets = new Map<string, () => Answer | Promise<Answer>>([
    ['/metrics', async () => metricsAnswer(await metricsText())],
    ['/openapi.json', () => json(description)],
    ['/info', () => json(teiInfo(options))],
    ['/v1/models', () => json(modelList(options))],
    ['/healthz', health],
  ])

  return (incoming, outgoing) => void respond(incoming, outgoing)

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const start = performance.now()
    const { url = '' } = incoming
    const path = posts.has(url) ? url : pathOf(url)
    state.inProgress++
    let answer: Answer
    try {
      answer = await answerOf(path, incoming, outgoing)
    } catch (error) {
      answer = problemAnswer(path, problemOf(error, onError))
    }
    state.inProgress--
    const post = incoming.method === 'POST'
    if (post) await drain(incoming)
    if (state.stopping || (post && !incoming.readableEnded))
      outgoing.setHeader('connection', 'close')
    const label = posts.has(path) || gets.has(path) ? path : 'other'
    metrics.onRequest(label, answer.status, (performance.now() - start) / 1000)
    send(outgoing, answer)
  }

  function answerOf(
    path: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Answer | Promise<Answer> {
    const { method } = incoming
    const get = method === 'GET' || method === 'HEAD' ? gets.get(path) : undefined
    if (get === health) return health()
    admit((name) => header(incoming, name))
    if (get) return get()
    const route = posts.get(path)
    if (route && method === 'POST') return handle(route, incoming, outgoing)
    const allowed = route ? 'POST' : gets.has(path) ? 'GET' : undefined
    if (!allowed) throw new Problem(404, `unknown path ${path}`)
    throw new Problem(405, `${path} supports ${allowed}, got ${method}`, { allow: allowed })
  }

  async function handle(
    route: Route,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<Answer> {
    checkHeaders(incoming)
    if (state.inProgress > limits.requests)
      throw overloaded('too many concurrent requests; retry later')
    const signal = signalOf(outgoing, limits.seconds)
    const cuts: Cuts = { characters: 0, tokens: 0 }
    const answer = await bodies.use(incoming, ({ value, vectors }) =>
      route.handle(value, { ...options, vectors, cuts, signal }),
    )
    metrics.onCuts(cuts)
    return json(answer)
  }

  function health(): Answer {
    // Health checks need no key and may come from any host: the answer reveals nothing else.
    return json({ status: state.stopping ? 'stopping' : 'ok' }, state.stopping ? 503 : 200)
  }

  function metricsAnswer(body: string): Answer {
    return { status: 200, body, headers: { 'content-type': metrics.contentType } }
  }

  function problemAnswer(path: string, { status, message, headers }: Problem): Answer {
    const shape = posts.get(path)?.errors ?? cohereError
    return json(shape(status, message), status, headers)
  }
}

function json(value: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  const body = JSON.stringify(value)
  return { status, body, headers: { ...headers, 'content-type': 'application/json' } }
}

function send(outgoing: ServerResponse, { status, body, headers }: Answer): void {
  // The client may have disconnected, and writing to a closed connection is an error.
  if (outgoing.destroyed) return
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/**
 * Returns the path of a request URL, which may have a query or escapes or, from a proxy, be
 * absolute.
 */
function pathOf(address: string): string {
  try {
    const url = address.startsWith('/') ? `http://localhost${address}` : address
    return decodeURI(new URL(url).pathname)
  } catch {
    return address
  }
}

/** Returns a header. Repeated headers are joined, so that no check sees only the first one. */
function header(incoming: IncomingMessage, name: string): string | undefined {
  return incoming.headersDistinct[name]?.join(', ')
}

/**
 * Throws unless the body is uncompressed JSON. Forms on web pages cannot send this content type, so
 * no web page can send requests.
 */
function checkHeaders(incoming: IncomingMessage): void {
  const type = header(incoming, 'content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, 'the body must be JSON; send Content-Type: application/json')
  }
  const encoding = header(incoming, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    throw new Problem(415, 'Content-Encoding is not supported; send the body uncompressed')
}

/**
 * Returns a function that creates, at its first call, a signal that is aborted when the client
 * disconnects or the request times out.
 */
function signalOf(outgoing: ServerResponse, seconds: number): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (!controller) {
      const work = new AbortController()
      const late = () =>
        work.abort(unavailable('the request took too long; send fewer or shorter texts'))
      const timer = setTimeout(late, seconds * 1000).unref()
      outgoing.once('close', () => {
        clearTimeout(timer)
        if (!outgoing.writableFinished)
          work.abort(new Problem(499, 'the client closed the connection'))
      })
      controller = work
    }
    return controller.signal
  }
}

/** The error codes that a request causes: the server can read the request, but not process it. */
const asked: ReadonlySet<KithErrorCode> = new Set([
  'BAD_VECTOR',
  'BAD_SHAPE',
  'BAD_SETTING',
  'BAD_INPUT',
  'BAD_FILE',
])

/**
 * Returns the answer to an error: the message if the client can correct the error, otherwise no
 * details.
 */
function problemOf(error: unknown, onError: (error: unknown) => void): Problem {
  if (error instanceof Problem) {
    if (error.cause !== undefined) onError(error.cause)
    return error
  }
  if (error instanceof KithError) {
    if (error.code === 'ABORTED' && error.cause instanceof Problem) {
      return problemOf(error.cause, onError)
    }
    if (asked.has(error.code)) return new Problem(422, error.message)
  }
  onError(error)
  return new Problem(500, 'internal error; see the log of the server')
}

/**
 * Maximum number of bytes to read and discard before the server refuses a body that is too large.
 */
const MOST_BYTES = 64 * 2 ** 20
/** Maximum time for discarding a body, in milliseconds. */
const MOST_TIME = 500

/**
 * Reads and discards the rest of a request. If the server closed the connection before the client
 * has sent everything, the connection would be reset and the client would never see the error.
 */
function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const done = (): void => {
      clearTimeout(timer)
      incoming.off('data', count)
      resolve()
    }
    const timer = setTimeout(done, MOST_TIME)
    const count = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) done()
    }
    incoming.on('data', count).once('end', done).once('close', done)
    incoming.resume()
  })
}
