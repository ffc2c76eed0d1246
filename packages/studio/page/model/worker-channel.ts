import type { HeldCollection } from '../../src/studio-wire.ts'
import { held, hold } from './source.ts'

/** Starts a worker of the page, and gives it the collection where the page holds one. */
export function startWorker(Kind: new () => Worker): Worker {
  const worker = new Kind()
  worker.postMessage(held())
  return worker
}

/** In a worker: takes the collection, which comes first, and hands every later message to a function. */
export function listen<Message>(onMessage: (message: Message) => void): void {
  let started = false
  addEventListener('message', ({ data }: MessageEvent) => {
    if (started) onMessage(data as Message)
    else if (data) hold(data as HeldCollection)
    started = true
  })
}
