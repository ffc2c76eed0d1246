import { KithError } from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { routes } from '../src/app.ts'
import { defaultLimits } from '../src/limits.ts'
import { NumberReader } from '../src/number-reader.ts'
import { Problem } from '../src/problem.ts'
import { Ranker } from '../src/ranker.ts'
import { type Json, readJson } from '../src/read-body.ts'
import { RequestVectors } from '../src/request-vectors.ts'
import { rerankRoute } from '../src/routes/rerank-route.ts'
import type { Call } from '../src/routes/route.ts'
import { base64, wordsModel } from './support.ts'

/** What a value is once the names in it are arrays again. */
function restored(text: string): unknown {
  const { value, vectors } = readJson(new NumberReader([Buffer.from(text)]))
  const restore = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const vector = vectors.named(part)
      return vector ? [...vector] : part
    }
    if (Array.isArray(part)) return part.map(restore)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, restore(inner)]))
  }
  return restore(value)
}

const read = (text: string): Float32Array | undefined =>
  new NumberReader([Buffer.from(text)]).read(1)?.numbers

describe('NumberReader', () => {
  test('reads float32 numbers bit for bit, in every notation', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(fc.array(float, { minLength: 1 }), (given) => {
        // JSON.stringify writes -0 as 0.
        const numbers = given.map((number) => number + 0)
        const expected = Float32Array.from(numbers)
        expect(read(JSON.stringify(numbers))).toEqual(expected)
        const scientific = numbers.map((number) => number.toExponential(16).toUpperCase())
        expect(read(`[ ${scientific.join(' ,\n')}\t]`)).toEqual(expected)
      }),
      tries(60),
    )
  })

  test('reads every number as the float32 of JSON.parse', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true })
    // The double in the middle of two float32, where the last digit decides.
    const middle = fc
      .float({ noNaN: true, min: Math.fround(-1e38), max: Math.fround(1e38) })
      .map((number) => {
        const bits = new Int32Array(Float32Array.of(number).buffer)
        bits[0]!++
        return (number + new Float32Array(bits.buffer)[0]!) / 2
      })
    const written = fc.oneof(
      fc.oneof(double, middle).map(String),
      fc.tuple(fc.oneof(double, middle), fc.nat(20)).map(([n, d]) => n.toExponential(d)),
      fc
        .tuple(fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), middle), fc.nat(30))
        .map(([n, d]) => (Math.abs(n) < 1e21 ? n.toFixed(d) : String(n))),
      // One digit before the point, as most numbers of embeddings have it.
      fc.stringMatching(/^-?\d\.\d{1,40}$/),
      // Digits without end, zeros in front and behind, exponents beyond what numbers have.
      fc
        .tuple(
          fc.constantFrom('', '-'),
          fc.bigInt({ min: 0n, max: 10n ** 40n }),
          fc.option(fc.stringMatching(/^0{0,30}\d{1,40}$/)),
          fc.option(fc.stringMatching(/^[eE][+-]?0{0,3}\d{1,3}$/)),
        )
        .map(
          ([sign, whole, part, power]) => `${sign}${whole}${part ? `.${part}` : ''}${power ?? ''}`,
        ),
    )
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 1, maxLength: 20 }),
        fc.constantFrom(',', ', ', ' ,  '),
        (numbers, comma) => {
          const text = `[${numbers.join(comma)}]`
          expect(read(text)).toEqual(Float32Array.from(JSON.parse(text) as number[]))
        },
      ),
      { ...tries(500), examples: [[['1e-45', '7e-46', '-1.1754942e-38', '3.4028236e38'], ',']] },
    )
  })

  test('reads exactly the arrays of numbers that JSON.parse reads', () => {
    const signs = fc.constantFrom(...'0123456789'.repeat(2), ...'..--++eE,,,  \t\n]["nx/')
    const text = fc.array(signs, { maxLength: 24 }).map((list) => `[${list.join('')}]`)
    fc.assert(
      fc.property(text, (given) => {
        const found = new NumberReader([Buffer.from(given)]).read(1)
        const end = found?.end ?? given.length
        expect(found?.numbers).toEqual(numbersIn(given.slice(0, end)))
      }),
      tries(800),
    )
  })

  test('releases the memory of long arrays before it reads short ones', () => {
    const long = Array.from({ length: 6_000_000 }, (_, i) => i % 10)
    const found = read(JSON.stringify(long))!
    expect(found.length).toBe(long.length)
    expect(found.every((number, i) => number === i % 10)).toBe(true)
    expect(read('[1.5,2]')).toEqual(Float32Array.of(1.5, 2))
    expect(read('[1.5,2')).toBeUndefined()
  })

  /** The numbers of an array as JSON.parse reads them; undefined if it is no array of numbers. */
  function numbersIn(text: string): Float32Array | undefined {
    try {
      const value = JSON.parse(text) as unknown[]
      const numbers = value.length > 0 && value.every((one) => typeof one === 'number')
      return numbers ? Float32Array.from(value as number[]) : undefined
    } catch {
      return undefined
    }
  }

  test.each([
    ['1e400', Infinity],
    ['-1e400', -Infinity],
    ['1e-400', 0],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['0.000000000000000000000000000001', 1e-30],
    ['100000000000000000000000', 1e23],
    ['-0', -0],
    ['0.0', 0],
    ['16777217', 16777216],
    ['1e+2', 100],
  ])('reads %s', (text, expected) => {
    expect(read(`[${text}]`)).toEqual(Float32Array.of(expected))
  })

  test.each([
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '-',
    '',
    '1 2',
    '1,',
    ',1',
    '"1"',
    '[1]',
    'NaN',
    '0x1',
    '1/5',
    '1-5',
    '-1-5',
    '1.5/2',
    '0.5-2',
    '0.5.2',
    '-.5',
    '00.5',
    '0.5 2',
    '1',
  ])('leaves %s to JSON.parse', (text) => {
    expect(read(text === '1' ? '[1' : `[${text}]`)).toBeUndefined()
  })
})

describe('readJson with arrays of numbers', () => {
  test('parses as JSON.parse does', () => {
    const json = fc.json({ maxDepth: 4 })
    const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 0, maxLength: 20 })
    fc.assert(
      fc.property(json, numbers, fc.string(), (inner, list, text) => {
        const value = { inner: JSON.parse(inner), list, text, nested: [[list], list, { list }] }
        const plain = JSON.stringify(value)
        expect(JSON.stringify(restored(plain))).toBe(rounded(plain))
        const spaced = JSON.stringify(value, null, '\t')
        expect(JSON.stringify(restored(spaced))).toBe(rounded(plain))
      }),
      tries(60),
    )
  })

  test('keeps texts with brackets, quotes and backslashes', () => {
    const list = '[1,2,3,4,5,6,7,8,9,10]'
    for (const text of [list, `"${list}`, `\\"${list}`, `\\${list}\\`, `\\\\"${list}"`, `"`]) {
      expect(restored(JSON.stringify({ text, list: 1 }))).toEqual({ text, list: 1 })
    }
  })

  test.each([
    '',
    '{',
    '[1,2',
    '{"a":}',
    '"',
    '"\\',
    '[1,2,3,4,5,6,7,8,]',
    '{"a":[1,2,3,4,5,6,7,8}',
    'nul',
  ])('refuses %j', (text) => {
    expect(() => readJson(new NumberReader([Buffer.from(text)]))).toThrow('the body is not JSON')
  })

  test('names arrays so that no text of a client can stand for one', () => {
    const { value, vectors } = readJson(
      new NumberReader([Buffer.from('{"a":[1,2,3,4,5,6,7,8],"b":"0"}')]),
    )
    const { a } = value as { a: string }
    expect(a.length).toBeGreaterThan(32)
    expect(vectors.named(a)).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8))
  })
})

describe('base64 vectors', () => {
  const float = fc.float({ noDefaultInfinity: true })
  const whole = fc.array(float, { maxLength: 6 }).map((numbers) => base64(numbers))
  const noise = fc.constantFrom(
    'A',
    '+',
    '/',
    '-',
    '_',
    '=',
    ' ',
    '\n',
    '\u0001',
    'é',
    '😀',
    '"',
    '',
  )
  const damaged = fc.tuple(whole, fc.nat(), fc.nat(2), noise).map(([text, place, removed, put]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + removed)
  })

  test('are decoded as by a plain decoder, or refused', () => {
    fc.assert(
      fc.property(fc.oneof(whole, damaged, fc.string()), (text) => {
        expect(new RequestVectors().fromBase64(text)).toEqual(plainly(text))
      }),
      tries(400),
    )
  })

  /** A decoder for both alphabets, with or without padding, that does one sign after the other. */
  function plainly(text: string): Float32Array | undefined {
    const signs = /^([A-Za-z0-9+/_-]*)={0,2}$/.exec(text)?.[1]
    if (signs === undefined || signs.length % 4 === 1) return undefined
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const bits = Array.from(signs.replaceAll('-', '+').replaceAll('_', '/'), (sign) =>
      alphabet.indexOf(sign).toString(2).padStart(6, '0'),
    ).join('')
    const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
    if (bytes.length % 4 !== 0) return undefined
    const view = new DataView(Uint8Array.from(bytes).buffer)
    return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(i * 4, true))
  }
})

describe('a request with any body', () => {
  const text = fc.oneof(fc.lorem({ maxCount: 4 }), fc.string(), fc.constant('word '.repeat(20)))
  const tokens = fc.array(fc.nat(), { maxLength: 12 })
  const other = fc.oneof(
    tokens,
    fc.array(tokens, { maxLength: 3 }),
    fc.constantFrom(null, true, false, 0, 2, 32, 'true', 'query', {}, []),
  )
  const embedding = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), {
    minLength: 32,
    maxLength: 32,
  })
  const item = fc.oneof(text, fc.record({ text }), fc.record({ text, embedding }))
  const list = fc.oneof(
    { weight: 4, arbitrary: fc.array(text, { maxLength: 4 }) },
    fc.array(item, { maxLength: 4 }),
  )
  const likely = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 6, arbitrary: arbitrary as fc.Arbitrary<unknown> }, other)
  const flag = fc.constantFrom(true, false, null)
  const body = fc.record(
    {
      ...{ query: likely(fc.oneof(item, list)), documents: likely(list), texts: likely(list) },
      ...{ input: likely(fc.oneof(text, list)), inputs: likely(fc.oneof(text, list)) },
      ...{ top_n: likely(fc.nat(3)), top_k: likely(fc.nat(3)), candidates: likely(fc.nat(9)) },
      ...{ truncate: likely(flag), truncation: likely(flag), normalize: likely(flag) },
      ...{ return_documents: likely(flag), return_text: likely(flag), raw_scores: likely(flag) },
      ...{ prompt_name: likely(fc.constant('query')), dimensions: likely(fc.constant(32)) },
      encoding_format: likely(fc.constant('base64')),
    },
    { requiredKeys: [] },
  )
  const embedder = wordsModel(16)
  const found = Array.from({ length: 3 }, (_, i) => ({
    ...{ id: `d${i}`, title: `title ${i}`, text: `text ${i}`, score: 1 / (i + 1) },
    vector: Float32Array.from({ length: 32 }, (_, j) => Math.sin(i * 32 + j)),
  }))
  const services = {
    ...{
      embedder,
      ranker: new Ranker(resolveSettings(), embedder, undefined),
      model: 'words',
      strict: false,
    },
    limits: { ...defaultLimits, documents: 20, characters: 60 },
    searcher: {
      dimensions: 32,
      search: async () => found.map((hit) => ({ ...hit, title: undefined })),
      vectors: async () => found.map(({ vector }) => vector),
      textVectors: async (texts: readonly string[]) => texts.map(() => undefined),
    },
    signal: () => new AbortController().signal,
  }

  const texts = ['first text', 'second text']
  /** A body that every route answers. */
  const answerable = { query: 'text', documents: texts, texts, input: 'text', inputs: texts }

  test.each(routes.map((route) => [route.path, route] as const))(
    'to %s gets the documented answer or an error',
    async (_, route) => {
      let answered = 0
      await fc.assert(
        fc.asyncProperty(body, async (given) => {
          const { value, vectors } = readJson(
            new NumberReader([Buffer.from(JSON.stringify(given))]),
          )
          const cuts = { characters: 0, tokens: 0 }
          try {
            const answer = await route.handle(value, { ...services, vectors, cuts })
            expect(route.answer.safeParse(answer).error).toBeUndefined()
            answered++
          } catch (error) {
            // The two kinds of errors that lie in a request, which the server answers by name.
            if (error instanceof KithError) expect(error.code).toMatch(/^BAD_/)
            else if (error instanceof Problem) expect([413, 422]).toContain(error.status)
            else throw error
          }
        }),
        { ...tries(40), examples: [[answerable]] },
      )
      expect(answered).toBeGreaterThan(0)
    },
  )
})

describe('a rerank request', () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
  const numbers = fc.array(float, { maxLength: 20 })
  const text = fc.array(numbers).map((rows) => base64(Float32Array.from(rows.flat())))
  const embedding = fc.oneof(
    numbers,
    text,
    // Other alphabets and paddings, characters that are none, bytes that make no whole number, NaN.
    text.map((given) => given.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')),
    fc
      .tuple(text, fc.constantFrom('=', '==', ' ', '\n', 'é', '"', '\\', 'A'))
      .map((pair) => pair.join('')),
    fc.tuple(text, text).map((pair) => pair.join('=')),
    fc.constantFrom(base64(Float32Array.of(1, NaN)), base64(Float32Array.of(1e30)), null, 7, {}),
    fc.array(fc.oneof(float, fc.constantFrom(null, 'x', [1])), { maxLength: 10 }),
    fc.json({ maxDepth: 2 }).map((json) => JSON.parse(json) as unknown),
  )
  const item = fc.oneof(
    fc.string(),
    text,
    fc.constant('embedding'),
    fc.record({ text: fc.oneof(fc.string(), text), embedding }, { requiredKeys: [] }),
    fc.record({ embedding, other: fc.record({ embedding }), 'embedding\\': embedding }),
  )
  const body = fc.record(
    { query: item, documents: fc.array(item, { maxLength: 4 }), model: item, top_n: fc.nat(3) },
    { requiredKeys: ['query', 'documents'] },
  )
  // Spaces, escapes of slashes as some languages write them, and bytes that are missing or wrong.
  const written = fc
    .tuple(
      body,
      fc.constantFrom(0, 1, '\t'),
      fc.boolean(),
      fc.option(fc.tuple(fc.nat(), fc.nat(255))),
    )
    .map(([value, space, escaped, damage]) => {
      const json = JSON.stringify(value, null, space)
      const bytes = Buffer.from(escaped ? json.replaceAll('/', '\\/') : json)
      if (damage === null) return bytes
      const at = damage[0] % bytes.length
      if (damage[1] === 0) return bytes.subarray(0, at)
      bytes[at] = damage[1]
      return bytes
    })

  test('is read as JSON.parse reads it, with the same errors', async () => {
    await fc.assert(
      fc.asyncProperty(written, async (bytes) => {
        expect(await outcome(() => readJson(new NumberReader([bytes])))).toEqual(
          await outcome(() => plainly(bytes)),
        )
      }),
      // A control character that decoding base64 would skip.
      { ...tries(200), examples: [[Buffer.from(`{"embedding":"\u0001${'A'.repeat(16)}"}`)]] },
    )
  })

  /** A body read without anything being read on the way. */
  function plainly(bytes: Buffer): Json {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      throw new Problem(400, 'the body is not UTF-8; send JSON in UTF-8')
    }
    try {
      return { value: JSON.parse(bytes.toString()), vectors: new RequestVectors() }
    } catch {
      throw new Problem(400, 'the body is not JSON')
    }
  }

  /** What the ranker is asked, or the client's answer. */
  async function outcome(read: () => Json): Promise<unknown> {
    let found: unknown
    const ranker = {
      async rank(...items: unknown[]) {
        found = items.slice(0, 2)
        return { order: new Uint32Array(), scores: new Float32Array(), tokens: 0 }
      },
    }
    try {
      const { value, vectors } = read()
      await rerankRoute('2').handle(value, {
        ranker,
        vectors,
        limits: defaultLimits,
        strict: false,
        cuts: { characters: 0, tokens: 0 },
      } as unknown as Call)
      return found
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return [error.status, error.message]
    }
  }
})

/** JSON whose longer arrays of numbers are float32, as they are read. */
function rounded(json: string): string {
  return JSON.stringify(JSON.parse(json), (_, value) =>
    Array.isArray(value) && value.length >= 8 && value.every((part) => typeof part === 'number')
      ? value.map(Math.fround)
      : value,
  )
}
