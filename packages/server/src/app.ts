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
  /** Requests under way. */
  inProgress: number
  /** Whether it is about to end. */
  stopping: boolean
}

/** The inputs of the application besides the services of its routes. */
export interface AppOptions extends Services {
  access: Access
  metrics: Metrics
  /** The metrics of the whole server as text. */
  metricsText(): Promise<string>
  state: ServerState
  /** Called with errors that no request has caused. */
  onError(error: unknown): void
}

/** The answer to a request. */
interface Answer {
  status: number
  body: string
  headers: Readonly<Record<string, string>>
}

/** The addresses that take JSON. */
export const routes: readonly Route[] = [
  rerankRoute('1'),
  rerankRoute('2'),
  teiRerankRoute,
  teiEmbedRoute,
  embeddingsRoute,
  searchRoute,
]

/**
 * All addresses of the server, as a listener of Node's own HTTP server: the objects of a web
 * framework would take as long as ranking 60 documents does.
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
    // Anybody may ask, from any host: it tells nothing else.
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
  // The client may be gone, and writing to it would be an error.
  if (outgoing.destroyed) return
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/** The path of a request's address, which may have a query or escapes or, from a proxy, be a whole URL. */
function pathOf(address: string): string {
  try {
    const url = address.startsWith('/') ? `http://localhost${address}` : address
    return decodeURI(new URL(url).pathname)
  } catch {
    return address
  }
}

/** A header; if it came more than once, all of it, so that no check sees only the first. */
function header(incoming: IncomingMessage, name: string): string | undefined {
  return incoming.headersDistinct[name]?.join(', ')
}

/** Requests from forms of web pages never have this type, so that no page can send any. */
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
 * A signal that is aborted when the client has disconnected or the time is up, made once, at its
 * first use.
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

/** The errors that lie in the request: it is read, but cannot be done as it stands. */
const asked: ReadonlySet<KithErrorCode> = new Set([
  'BAD_VECTOR',
  'BAD_SHAPE',
  'BAD_SETTING',
  'BAD_INPUT',
  'BAD_FILE',
])

/** The answer for an error: the message of errors that the client can correct, and no details of others. */
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

/** Bytes that are read for nothing before a client is answered that it sends too much. */
const MOST_BYTES = 64 * 2 ** 20
/** Milliseconds that this may take. */
const MOST_TIME = 500

/**
 * Reads and drops the rest of a request. A connection that is closed before the client has sent
 * everything is reset, and the client never sees why it was refused.
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
