/** Internal: embeddings of an OpenAI-compatible endpoint, instead of the built-in encoder. */

import { setTimeout as wait } from 'node:timers/promises'
import { KithError } from '@kith/core'
import { abortedError, throwIfAborted } from '@kith/core/internal'
import { orderedMap } from './pool/ordered-map.ts'

/** Texts and characters of one request, and requests under way. */
const BATCH_TEXTS = 32
const BATCH_CHARACTERS = 200_000
const AHEAD = 4
/** Attempts for one request, and milliseconds before the second; each further wait is twice as long. */
const ATTEMPTS = 5
const FIRST_WAIT = 500
const LONGEST_WAIT = 30_000
/** Milliseconds that an answer may take, and its bytes. */
const TIMEOUT = 60_000
const MOST_BYTES = 2 ** 26

/** The environment variable with the key of the endpoint. */
export const endpointKey = 'KITH_EMBED_KEY'

/** The endpoint, and the options of its requests. */
export interface EndpointOptions {
  /** The name of the model that the endpoint should use. */
  model: string
  queryPrefix?: string | undefined
  documentPrefix?: string | undefined
  /** Milliseconds that an answer may take. Default: 60,000. */
  timeout?: number | undefined
  /** Milliseconds before the second attempt. Default: 500. */
  firstWait?: number | undefined
}

/** How texts are sent. */
interface SendOptions {
  role?: 'query' | 'document' | undefined
  onProgress?: ((done: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Embeddings, row after row. The endpoint does not say which texts it cut. */
export interface EndpointRows {
  data: Float32Array
  rows: number
  dimensions: number
  cut: number
  /** Tokens of all texts together, as the endpoint counts them; 0 if it does not. */
  tokens: number
}

/** An endpoint as an encoder: it has the members that `Encoder` of `@kith/encoder` has. */
export class Endpoint {
  readonly maxTokens = Number.POSITIVE_INFINITY
  readonly source = { files: [] as readonly string[], pooling: undefined, normalize: false }
  readonly name: string
  #dimensions: number | undefined
  readonly #url: string
  readonly #options: EndpointOptions

  /** @internal Use `openEndpoint`. */
  constructor(url: string, options: EndpointOptions) {
    this.name = options.model
    this.#url = url
    this.#options = options
  }

  get dimensions(): number {
    return this.#dimensions!
  }

  async encode(texts: readonly string[], options: SendOptions = {}): Promise<EndpointRows> {
    const all: EndpointRows[] = []
    for await (const part of this.encodeStream(texts, options)) all.push(part)
    const { dimensions } = this
    const data = new Float32Array(texts.length * dimensions)
    let rows = 0
    for (const part of all) {
      data.set(part.data, rows * dimensions)
      rows += part.rows
    }
    const tokens = all.reduce((sum, part) => sum + part.tokens, 0)
    return { data, rows, dimensions, cut: 0, tokens }
  }

  async *encodeStream(
    texts: Iterable<string> | AsyncIterable<string>,
    { role = 'document', onProgress, signal }: SendOptions = {},
  ): AsyncGenerator<EndpointRows> {
    const { queryPrefix = '', documentPrefix = '' } = this.#options
    const prefix = role === 'query' ? queryPrefix : documentPrefix
    let done = 0
    const send = (batch: string[], ended: AbortSignal): Promise<EndpointRows> =>
      this.#embed(batch, ended)
    for await (const [, part] of orderedMap(batchesOf(texts, prefix), send, {
      ahead: AHEAD,
      signal,
    })) {
      done += part.rows
      onProgress?.(done)
      yield part
    }
  }

  async close(): Promise<void> {}

  /**
   * Requests the embeddings of some texts, again if the endpoint is busy or briefly unavailable.
   */
  async #embed(input: string[], signal: AbortSignal): Promise<EndpointRows> {
    const { firstWait = FIRST_WAIT } = this.#options
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal)
      const outcome = await this.#ask(input, signal)
      if ('answer' in outcome) return this.#read(outcome.answer, input.length)
      if (!outcome.passing || attempt === ATTEMPTS) {
        const tried = outcome.passing ? ` (${attempt} attempts)` : ''
        throw this.#error(`${outcome.problem}${tried}`)
      }
      const pause = Math.max(outcome.wait ?? 0, firstWait * 2 ** (attempt - 1))
      await wait(Math.min(pause, LONGEST_WAIT), undefined, { signal }).catch(() => {
        throw abortedError(signal)
      })
    }
  }

  async #ask(input: string[], signal: AbortSignal): Promise<Outcome> {
    const key = process.env[endpointKey]
    const { model, timeout = TIMEOUT } = this.#options
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key ? { authorization: `Bearer ${key}` } : {}),
        },
        body: JSON.stringify({ model, input, encoding_format: 'float' }),
        // A key must not go to another host.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      })
      const { status, headers } = response
      if (status >= 300 && status < 400) {
        await response.body?.cancel()
        const to = headers.get('location') ?? 'nowhere'
        return { problem: `redirects to ${to}, which Kith does not follow; pass the final address` }
      }
      const text = await readBounded(response)
      if (text === undefined) return { problem: `the answer has more than ${MOST_BYTES} bytes` }
      if (status === 200) return { answer: text }
      const seconds = Number(headers.get('retry-after') ?? Number.NaN)
      return {
        problem: `answered ${status}: ${text.slice(0, 300).trim()}`,
        passing: status === 408 || status === 429 || status >= 500,
        wait: Number.isFinite(seconds) ? seconds * 1000 : undefined,
      }
    } catch (error) {
      if (signal.aborted) throw abortedError(signal)
      const { name, message, cause } = error as Error
      if (name === 'TimeoutError')
        return { problem: `no answer within ${timeout} ms`, passing: true }
      return { problem: (cause as Error | undefined)?.message || message, passing: true }
    }
  }

  #read(answer: string, texts: number): EndpointRows {
    const { data, usage } = this.#parse(answer)
    if (!Array.isArray(data) || data.length !== texts) {
      const got = Array.isArray(data) ? `${data.length} embeddings` : 'no "data"'
      throw this.#error(`expected ${texts} embeddings, got ${got}`)
    }
    const first: unknown = data[0]?.embedding
    this.#dimensions ??= Array.isArray(first) ? first.length : 0
    const dimensions = this.#dimensions
    const rows = new Float32Array(texts * dimensions)
    const seen = new Set<number>()
    for (const [place, { index = place, embedding }] of data.entries()) {
      const length = Array.isArray(embedding) ? embedding.length : 0
      if (length !== dimensions || length === 0) {
        throw this.#error(`expected ${dimensions || 'some'} numbers per embedding, got ${length}`)
      }
      if (!Number.isInteger(index) || index < 0 || index >= texts || seen.has(index)) {
        throw this.#error(`the index ${index} occurs twice or is out of range (0 to ${texts - 1})`)
      }
      seen.add(index)
      if (!embedding!.every((value) => Number.isFinite(Math.fround(value as number)))) {
        throw this.#error(`an embedding contains a value that is not a finite number`)
      }
      rows.set(embedding as number[], index * dimensions)
    }
    const tokens = Number(usage?.prompt_tokens)
    return {
      ...{ data: rows, rows: texts, dimensions, cut: 0 },
      tokens: Number.isSafeInteger(tokens) ? tokens : 0,
    }
  }

  #parse(answer: string): EmbeddingsAnswer {
    try {
      const parsed = JSON.parse(answer) as EmbeddingsAnswer | null
      const items = Array.isArray(parsed?.data) ? parsed.data : []
      if (parsed && items.every((item) => typeof item === 'object' && item !== null)) return parsed
    } catch {
      // The error is reported below.
    }
    throw this.#error(
      `expected JSON in the format of OpenAI’s embeddings, got ${answer.slice(0, 100)}`,
    )
  }

  #error(problem: string): KithError {
    return new KithError('BAD_INPUT', `the embeddings endpoint ${this.#url}: ${problem}`)
  }
}

interface EmbeddingsAnswer {
  data?: { index?: number; embedding?: unknown[] }[]
  usage?: { prompt_tokens?: unknown }
}

type Outcome =
  | { answer: string }
  | { problem: string; passing?: boolean; wait?: number | undefined }

/** Options of the built-in encoder, which an endpoint does not take. */
const BUILT_IN = ['pooling', 'normalize', 'maxTokens', 'revision', 'quantize', 'threads'] as const

/**
 * Opens an OpenAI-compatible embeddings endpoint, and requests one embedding to learn its
 * dimensions. The key is in the environment (`KITH_EMBED_KEY`).
 *
 * @param address The endpoint, `…/v1/embeddings`, or the server that has it.
 * @param options Options of an encoder; an option that an endpoint does not support is an error.
 */
export async function openEndpoint(
  address: string,
  options: Omit<EndpointOptions, 'model'> & { model?: string | undefined },
  signal?: AbortSignal | undefined,
): Promise<Endpoint> {
  const { model } = options
  if (!model) {
    throw new KithError(
      'BAD_SETTING',
      'embedUrl needs a model; pass the name of the endpoint’s model',
    )
  }
  const given = BUILT_IN.find((name) => (options as Record<string, unknown>)[name] !== undefined)
  if (given !== undefined) {
    throw new KithError(
      'BAD_SETTING',
      `${given} is a setting of the built-in encoder; leave it out with embedUrl`,
    )
  }
  const endpoint = new Endpoint(endpointUrl(address), { ...options, model })
  await endpoint.encode(['dimensions'], { signal })
  return endpoint
}

/** The URL of the endpoint: `/v1/embeddings` of a server, or `/embeddings` behind a path. */
function endpointUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    const got = JSON.stringify(address)
    throw new KithError('BAD_SETTING', `embedUrl must be http://… or https://…, got ${got}`)
  }
  if (url.username || url.password || url.search) {
    const advice = `set the environment variable ${endpointKey}`
    throw new KithError(
      'BAD_SETTING',
      `embedUrl must not have a user, password or query; ${advice}`,
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (!path.endsWith('/embeddings')) url.pathname = `${path || '/v1'}/embeddings`
  return url.href
}

async function* batchesOf(
  texts: Iterable<string> | AsyncIterable<string>,
  prefix: string,
): AsyncGenerator<string[]> {
  let batch: string[] = []
  let characters = 0
  for await (const text of texts) {
    if (batch.length > 0 && characters + text.length > BATCH_CHARACTERS) {
      yield batch
      ;[batch, characters] = [[], 0]
    }
    batch.push(prefix + text)
    characters += text.length
    if (batch.length < BATCH_TEXTS) continue
    yield batch
    ;[batch, characters] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** The text of an answer; undefined if it is too long, and the rest is not read. */
async function readBounded(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > MOST_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
