import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { pagePolicy } from '@kith/base'
import { KithError, termStatisticsToBytes } from '@kith/core'
import { type Context, Hono } from 'hono'
import { pageFiles } from './page-files.ts'
import type { StudioCollection } from './studio-collection.ts'
import { encodeContext, type StudioContext } from './studio-wire.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
}

/**
 * The policy of the page: it may load its own files, send requests to this server and compile the
 * WebAssembly kernel, nothing else.
 */
const POLICY = pagePolicy({
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'worker-src': 'blob:',
  'frame-ancestors': "'none'",
})

const headers = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Values of the Host header that name this machine. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/** Maximum number of documents per request for texts. */
const ASKED = 20

/** Creates the application that serves the page and its data. */
function studioApp(collection: StudioCollection): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    // A website whose host name resolves to this machine could read everything (DNS rebinding).
    if (!LOOPBACK.test(c.req.header('host') ?? '')) {
      return c.text('kith studio answers to 127.0.0.1 and localhost only', 403)
    }
    // Other websites must not cause work on the server either, even though they could not read the
    // answer.
    const from = c.req.header('sec-fetch-site') ?? 'none'
    if (c.req.path.startsWith('/api/') && !['same-origin', 'none'].includes(from)) {
      return c.text('kith studio answers to its own page only', 403)
    }
    await next()
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
  })
  app.get('/api/collection', (c) => c.json(collection.info))
  app.get('/api/queries', (c) => c.json(collection.search(c.req.query('search') ?? '')))
  app.get('/api/judged', (c) => c.json(collection.judged()))
  app.get('/api/context', (c) => {
    const truth = c.req.query('truth') !== undefined
    return contextBody(c, collection.context(c.req.query('query') ?? '', topOf(c), truth))
  })
  app.get('/api/text', async (c) =>
    contextBody(c, await collection.contextOfText(c.req.query('text') ?? '', topOf(c))),
  )
  app.get('/api/documents', (c) =>
    c.json(collection.documents((c.req.queries('id') ?? []).slice(0, ASKED))),
  )
  app.get('/api/background', (c) => c.json({ background: collection.background }))
  app.get('/api/term-statistics', (c) => {
    const bytes = termStatisticsToBytes(collection.statistics(c.req.query('tokenizer') ?? ''))
    return c.body(bytes as Uint8Array<ArrayBuffer>, 200, {
      'content-type': 'application/octet-stream',
    })
  })
  for (const [name, file] of pageFiles()) {
    const path = name === 'index.html' ? '/' : `/${name}`
    const type = types[extname(file)] ?? 'application/octet-stream'
    app.get(path, (c) => c.body(readFileSync(file), 200, { 'content-type': type }))
  }
  app.notFound((c) => c.json({ error: `there is no ${c.req.path}` }, 404))
  app.onError(answerError)
  return app
}

/** Sends errors that the user can correct to the page; prints others in the terminal. */
function answerError(error: Error, c: Context): Response {
  if (error instanceof KithError) return c.json({ error: error.message }, 400)
  console.error(error)
  return c.json({ error: 'kith studio failed; see the terminal that it runs in' }, 500)
}

/** Returns how many candidates a request asks for. */
function topOf(c: Context): number {
  const top = Number(c.req.query('top'))
  if (Number.isInteger(top) && top > 0) return top
  throw new KithError('BAD_INPUT', `top must be a whole number, got ${c.req.query('top')}`)
}

function contextBody(c: Context, context: StudioContext): Response {
  return c.body(encodeContext(context), 200, { 'content-type': 'application/octet-stream' })
}

/** A running studio. */
export interface Studio {
  /** The address of the page. */
  url: string
  close(): Promise<void>
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The port that is tried first, so that the browser finds the storage of this address again. */
const USUAL_PORT = 4810
const HOST = '127.0.0.1'

/**
 * Serves the page on this machine only. Without `port`, the server uses the usual port, or any free
 * port if the usual port is in use.
 *
 * ```ts
 * const { url } = await startStudio(collection)
 * ```
 */
export async function startStudio(collection: StudioCollection, port?: number): Promise<Studio> {
  const server = createAdaptorServer({ fetch: studioApp(collection).fetch }) as Server
  try {
    await listen(server, port ?? USUAL_PORT)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (port !== undefined) {
      throw new KithError(
        'BAD_INPUT',
        `port ${port} is in use; pass another --port, or leave --port out`,
      )
    }
    await listen(server, 0)
  }
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
