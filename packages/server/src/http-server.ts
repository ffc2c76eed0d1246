import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { KithError } from '@kith/core'
import { type AppOptions, createApp } from './app.ts'
import type { Limits } from './limits.ts'

/** Maximum number of connections per process; the system refuses more. */
const CONNECTIONS = 1024
/** Milliseconds within which headers must arrive, and after which an idle connection is closed. */
const HEADERS_TIME = 10_000
const IDLE_TIME = 30_000
/** Milliseconds between two checks of the connections. */
const CHECK_TIME = 1000

/** An HTTP server in this process. */
export interface HttpServer {
  readonly url: string
  /** Stops accepting requests, and finishes the requests in progress. */
  close(): Promise<void>
}

/** Starts a server in this process; the promise resolves when it accepts requests. */
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

/** Returns the given port if it is free, or any free port for 0; throws if the port is in use. */
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
  // Clients that do not read their answers would keep them in memory. Slow requests get a 408
  // first, at the next check of the connections.
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

/** Waits for the requests in progress, but not longer than the request timeout. */
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
