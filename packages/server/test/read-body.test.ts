import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { BodyReader, type Json } from '../src/read-body.ts'

const most = 2 ** 23

test('frees the memory of a body once it is read, without a garbage collection', async () => {
  const text = JSON.stringify({ numbers: Array.from({ length: 50_000 }, (_, i) => i / 7) })
  const chunks: Buffer[] = []
  const server = createServer(async (incoming, outgoing) => {
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    const kept = await new BodyReader(most).use(incoming, async () =>
      chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    )
    outgoing.end(String(kept))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked = request({ port, method: 'POST' }).end(text)
  const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
  expect(String(await incoming.toArray())).toBe('0')
  expect(chunks.length).toBeGreaterThan(1)
  server.close()
})

test('frees vectors once a request is answered, and keeps them after an error', async () => {
  const body = Buffer.from(JSON.stringify([0, 1, 2, 3, 4, 5, 6, 7.5]))
  const incoming = () => Object.assign(Readable.from([body]), { headers: {} }) as IncomingMessage
  const reader = new BodyReader(most)
  const found: (Float32Array | undefined)[] = []
  const find = async ({ value, vectors }: Json): Promise<void> => {
    found.push(vectors.named(value as string))
    expect(found.at(-1)?.[7]).toBe(7.5)
  }
  await reader.use(incoming(), find)
  const failing = reader.use(incoming(), async (json) => {
    await find(json)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(found.map((vector) => vector?.length)).toEqual([0, 8])
})

test('joins chunks, and leaves memory alone that chunks share with others', async () => {
  const shared = Buffer.allocUnsafeSlow(32)
  shared.write('[1,2,3,4, "a","é"]and more')
  const parts = [shared.subarray(0, 9), shared.subarray(9, 16), shared.subarray(16, 19)]
  const incoming = Object.assign(Readable.from(parts), { headers: {} }) as IncomingMessage
  const value = await new BodyReader(most).use(incoming, async (json) => json.value)
  expect(value).toEqual([1, 2, 3, 4, 'a', 'é'])
  expect(shared.toString('utf8', 19, 27)).toBe('and more')
})

test('refuses a body of a million chunks, which takes hundreds of times its length', async () => {
  const chunks = Array.from({ length: 1_000_000 }, () => Buffer.from('1'))
  const incoming = Object.assign(Readable.from(chunks), { headers: {} }) as IncomingMessage
  const read = new BodyReader(most).use(incoming, async () => 'read')
  await expect(read).rejects.toThrow('too many large requests')
})
