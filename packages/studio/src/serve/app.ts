import type { HttpBindings } from '@hono/node-server'
import { KithError, type KithErrorCode } from '@kith/core'
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { drain } from './drain.ts'
import { embeddingsRoute } from './embeddings-route.ts'
import { cohereError } from './error-shapes.ts'
import { type Access, guard } from './guard.ts'
import type { Metrics } from './metrics.ts'
import { openApi } from './openapi.ts'
import { overloaded, Problem, unavailable } from './problem.ts'
import { BodyReader } from './read-body.ts'
import { readJson } from './read-json.ts'
import { rerankRoute } from './rerank-route.ts'
import type { Route, Services } from './route.ts'
import { searchRoute } from './search-route.ts'
import { teiRoute } from './tei-route.ts'

/** The state of a running server. */
export interface ServerState {
  /** Requests under way. */
  underWay: number
  /** Whether it is about to end. */
  stopping: boolean
}

/** The inputs of the application besides the services of its routes. */
export interface AppOptions extends Services {
  access: Access
  metrics: Metrics
  state: ServerState
  /** Called with errors that no request has caused. */
  onError(error: unknown): void
}

type Env = { Bindings: HttpBindings }

const routes: readonly Route[] = [
  rerankRoute('1'),
  rerankRoute('2'),
  teiRoute,
  embeddingsRoute,
  searchRoute,
]

/** All addresses of the server. */
export function createApp(options: AppOptions): Hono<Env> {
  const { metrics, state, limits, model, onError } = options
  const app = new Hono<Env>()
  const admit = guard(options.access)
  const bodies = new BodyReader(limits.body)
  const known = new Map(routes.map((route) => [route.path, route]))
  const others = ['/healthz', '/metrics', '/openapi.json']

  app.use(async (c, next) => {
    const start = performance.now()
    state.underWay++
    try {
      await next()
    } finally {
      state.underWay--
    }
    if (c.req.method === 'POST') await drain(c.env.incoming)
    if (state.stopping) c.header('connection', 'close')
    const path = known.has(c.req.path) || others.includes(c.req.path) ? c.req.path : 'other'
    metrics.onRequest(path, c.res.status, (performance.now() - start) / 1000)
  })
  app.get('/healthz', (c) =>
    c.json({ status: state.stopping ? 'stopping' : 'ok', model }, state.stopping ? 503 : 200),
  )
  app.use(async (c, next) => {
    admit(c.req.header('authorization'), c.req.header('host'))
    await next()
  })
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, { 'content-type': metrics.contentType }),
  )
  const description = openApi(routes)
  app.get('/openapi.json', (c) => c.json(description))
  for (const route of routes) {
    app.post(route.path, async (c) => {
      checkHeaders(c)
      if (state.underWay > limits.requests) throw overloaded('too many requests at the same time')
      const answer = await bodies.use(c.env.incoming, async (body) => {
        const { value, arrays } = readJson(body)
        return route.handle(value, { ...options, arrays, signal: signalOf(c, limits.seconds) })
      })
      return c.json(answer)
    })
  }
  app.notFound((c) => {
    const allowed = known.has(c.req.path) ? 'POST' : others.includes(c.req.path) ? 'GET' : undefined
    if (!allowed) return answerProblem(c, new Problem(404, `there is nothing at ${c.req.path}`))
    const problem = `${c.req.path} takes ${allowed}, not ${c.req.method}`
    return answerProblem(c, new Problem(405, problem, { allow: allowed }))
  })
  app.onError((error, c) => answerProblem(c, problemOf(error, onError)))
  return app

  function answerProblem(c: Context, { status, message, headers }: Problem): Response {
    const shape = known.get(c.req.path)?.errors ?? cohereError
    return c.json(shape(status, message), status as ContentfulStatusCode, headers)
  }
}

/** Requests from forms of web pages never have this type, so that no page can send any. */
function checkHeaders(c: Context): void {
  const type = c.req.header('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, 'the body must be JSON: send Content-Type: application/json')
  }
  const encoding = c.req.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw new Problem(415, 'send the body without a Content-Encoding')
}

/** A signal that is aborted when the client is gone or the time is up, made once, at its first use. */
function signalOf(c: Context, seconds: number): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (!controller) {
      const work = new AbortController()
      const gone = () => work.abort(new Problem(499, 'the client is gone'))
      const late = () => work.abort(unavailable('it took too long: send fewer or shorter texts'))
      c.req.raw.signal.addEventListener('abort', gone)
      setTimeout(late, seconds * 1000).unref()
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
  return new Problem(500, 'the server failed; its log says why')
}
