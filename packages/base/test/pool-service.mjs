/** A worker of the pool's tests: does what a request names. */
import { setTimeout } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { serveProcess, serveThread } from '@kith/base/pool/service'

class CodedError extends Error {
  name = 'KithError'
  code = 'BAD_SHAPE'
}

const actions = {
  double: ({ value }) => value * 2,
  count: (_, state) => ++state.count,
  async slow({ value, milliseconds }) {
    await setTimeout(milliseconds)
    return value
  },
  /** Holds the thread itself, as a native call does, and says when it is done. */
  block({ flags, milliseconds }) {
    Atomics.store(flags, 0, 1)
    Atomics.notify(flags, 0)
    Atomics.wait(flags, 2, 0, milliseconds)
    Atomics.store(flags, 1, 1)
  },
  async untilStopped(_, __, stopped) {
    while (!stopped()) await setTimeout(1)
  },
  fail({ message }) {
    throw Object.assign(new RangeError(message), { code: 'E_OWN', severity: 'FATAL' })
  },
  failCoded({ message }) {
    const cause = Object.assign(new Error('the database said so'), { code: '57P01' })
    throw Object.assign(new CodedError(message), { cause })
  },
  exit: ({ code }) => process.exit(code),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  /** Throws where no request sees it. */
  throwOutside({ message }) {
    globalThis.setTimeout(() => {
      throw new Error(message)
    })
    return new Promise(() => {})
  },
  /** Answers, and dies afterwards, without a request. */
  exitLater({ milliseconds }) {
    globalThis.setTimeout(() => process.exit(7), milliseconds)
  },
  eatMemory() {
    const eaten = []
    for (;;) eaten.push(new Array(1e5).fill(eaten.length))
  },
  uncopied: () => () => {},
  buffer: ({ length }) => new Float64Array(length).fill(1),
  /** Something that keeps the event loop busy for ever. */
  leak() {
    setInterval(() => {}, 1000)
  },
}

function open(data) {
  if (data?.refuse) throw new CodedError(data.refuse)
  const state = { count: data?.from ?? 0 }
  return {
    run: (request, stopped) => actions[request.action](request, state, stopped),
    transfer: (answer) => (ArrayBuffer.isView(answer) ? [answer.buffer] : []),
    close() {
      if (data?.closed) Atomics.store(data.closed, 0, 1)
    },
  }
}

if (isMainThread) serveProcess(open)
else serveThread(open)
