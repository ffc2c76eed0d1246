import { halfTable } from '@kith/base/half'
import type { TokenizerName } from '@kith/core'
import type { HeldCollection, WrittenCollection } from '../../src/studio-wire.ts'

/** The collection that was written into a page as JSON. */
export function readCollection(json: string): HeldCollection {
  const { vectors, statistics, ...rest } = JSON.parse(json) as WrittenCollection
  const { base64, rows, dimensions } = vectors
  const values = halfTable()
  const halves = new Uint16Array(bytesOf(base64).buffer)
  const data = new Float32Array(halves.length)
  for (let i = 0; i < halves.length; i++) data[i] = values[halves[i]!]!
  return {
    ...rest,
    vectors: { data, rows, dimensions },
    statistics: statistics && decoded(statistics),
  }
}

function decoded(statistics: Record<TokenizerName, string>): Record<TokenizerName, Uint8Array> {
  const entries = Object.entries(statistics).map(([terms, base64]) => [terms, bytesOf(base64)])
  return Object.fromEntries(entries)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
