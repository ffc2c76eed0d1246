import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { KithError } from '@kith/core'
import { type AppOptions, createApp } from './app.ts'
import type { Limits } from './limits.ts'

/** Connections of a process at the same time; more are refused by the system. */
const CONNECTIONS = 1024
/** Milliseconds that headers may take, and that an idle connection is kept. */
const HEADERS_TIME = 10_000
const IDLE_TIME = 30_000
/** How often connections are looked at. */
const CHECK_TIME = 1000

/** A server of this process. */
export interface HttpServer {
  readonly url: string
  /** Accepts no more requests, and finishes current requests. */
  close(): Promise<void>
}

/** Answers requests in this process, from when the promise is fulfilled. */
export async function openHttpServer(options: AppOptions, port: number): Promise<HttpServer> {
  const { limits, state, access } = options
  const server = httpServer(createApp(options), limits)
  await listen(server, port, access.host)
  return {
    url: urlOf(server),
    async close() {
      state.stopping = true
      await stop(server, limits.seconds)
    },
  }
}

/** The port of an address if it is free, or for 0 any that is; an error if it is taken. */
export async function freePort(wanted: number, host: string): Promise<number> {
  const server = createServer()
  await listen(server, wanted, host)
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function httpServer(app: RequestListener, { seconds }: Limits): Server {
  const requestTimeout = Math.ceil(seconds * 1000)
  const server = createServer(
    {
      headersTimeout: Math.min(HEADERS_TIME, requestTimeout),
      requestTimeout,
      keepAliveTimeout: IDLE_TIME,
      connectionsCheckingInterval: CHECK_TIME,
    },
    app,
  )
  server.maxConnections = CONNECTIONS
  // Clients that do not read their answers would keep these in memory. Slow requests are answered
  // with 408 first, when connections are next looked at.
  server.timeout = 2 * requestTimeout + CHECK_TIME
  return server
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'the port is in use; choose another --port' : message
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
