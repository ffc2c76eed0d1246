import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { KithError } from '@kith/core'
import { studioApp } from './studio-app.ts'
import type { StudioCollection } from './studio-collection.ts'

/** A running studio. */
export interface Studio {
  /** Where the page is. */
  url: string
  close(): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The port that is tried first, so that the browser finds the storage of this address again. */
const USUAL_PORT = 4810
const HOST = '127.0.0.1'

/** Serves the page on this machine only; without a port, on the usual one or, where that is taken, any other. */
export async function startStudio(collection: StudioCollection, port?: number): Promise<Studio> {
  const server = createAdaptorServer({ fetch: studioApp(collection).fetch }) as Server
  try {
    await listen(server, port ?? USUAL_PORT)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (port !== undefined) {
      throw new KithError('BAD_INPUT', `port ${port} is taken: choose another --port, or none`)
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
