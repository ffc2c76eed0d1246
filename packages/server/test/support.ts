import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'
import { type RunningServer, type ServeOptions, startServer } from '../src/server.ts'
import { openTextModel, type TextModel } from '../src/text-model.ts'

/** Starts a server on a free port; it ends with the tests of the file. */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port: 0, ...options })
  afterAll(() => server.close())
  return server
}

/** The command line. */
export const program = fileURLToPath(new URL('../../cli/bin/kith.js', import.meta.url))

/** Starts `kith serve`; where it listens, how it ends, and what it has printed so far. */
export async function startProcess(args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    // A process group of its own, as a shell or a service manager makes one.
    detached: true,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const printed = { out: '', errors: '' }
  child.stdout.on('data', (data) => {
    printed.out += data
  })
  child.stderr.on('data', (data) => {
    printed.errors += data
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ended, printed, url: (JSON.parse(line) as { url: string }).url }
}

/** The child processes of a process that run a file. Only Linux has this list. */
export function childrenOf(pid: number, file: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const [, parent] = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]!.split(' ')
        return (
          Number(parent) === pid && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(file)
        )
      } catch {
        return false
      }
    })
}

/** Loads the real encoder, on one core: the tests are not about speed. */
export function minilm(): Promise<TextModel> {
  return openTextModel('minilm', { threads: 1 })
}

/** One encoder for the servers of a file, which takes a second to load. */
export function sharedMinilm(): () => Promise<TextModel> {
  let model: Promise<TextModel> | undefined
  afterAll(async () => (await model)?.close())
  return async () => {
    model ??= minilm()
    return { ...(await model), async close() {} }
  }
}

/** A model without weights: texts that share words are similar, and a word is a token. */
export function wordsModel(maxTokens = 256): TextModel {
  const dimensions = 32
  return {
    name: 'words',
    dimensions,
    maxTokens,
    async embed(texts) {
      return texts.map((text) => {
        const words = text.toLowerCase().split(/\W+/)
        const vector = new Float32Array(dimensions)
        for (const word of words.slice(0, maxTokens)) {
          const sum = [...word].reduce((hash, letter) => hash * 31 + letter.charCodeAt(0), 7)
          vector[sum % dimensions]! += 1
        }
        const tokens = Math.min(words.length, maxTokens)
        return { vector, tokens, cut: words.length > maxTokens }
      })
    },
    async close() {},
  }
}

/** Sends JSON. */
export function post(
  { url }: { url: string },
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** A connection for bytes that no client would send. */
export class Wire {
  readonly socket: Socket
  /** All that came back until the server closed the connection. */
  readonly answer: Promise<string>

  constructor({ url }: { url: string }) {
    this.socket = connect({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      allowHalfOpen: true,
    })
    this.answer = new Promise((resolve) => {
      let received = ''
      this.socket.setEncoding('utf8')
      this.socket.on('data', (data) => {
        received += data
      })
      // A reset is one way in which a server ends a connection.
      this.socket.on('error', () => resolve(received))
      this.socket.on('end', () => {
        this.socket.end()
        resolve(received)
      })
    })
  }

  send(...lines: string[]): this {
    this.socket.write(lines.join('\r\n'))
    return this
  }

  /** Says that nothing more will come; the answer still can. */
  halfClose(): this {
    this.socket.end()
    return this
  }
}

/** The base64 of little-endian float32 numbers. */
export function base64(numbers: ArrayLike<number>): string {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (let i = 0; i < numbers.length; i++) bytes.writeFloatLE(numbers[i]!, i * 4)
  return bytes.toString('base64')
}

/** Unit vectors around some centers, and a query near the first; the same for the same seed. */
export function vectors(count: number, dimensions: number, seed = 1): Float32Array[] {
  let state = seed
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const centers = Array.from({ length: 4 }, () => Array.from({ length: dimensions }, random))
  return Array.from({ length: count }, (_, i) => {
    const row = Float32Array.from({ length: dimensions }, (_, j) => random() + centers[i % 4]![j]!)
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0))
    return row.map((value) => value / length)
  })
}
