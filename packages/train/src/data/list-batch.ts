import { Tensor } from '@kith/encoder/runtime'
import type { Loss } from '../graph/losses.ts'
import type { TargetList } from './targets.ts'
import type { DocumentVectors } from './training-query.ts'

/** The candidate lists of a batch as the loss takes them, padded to the longest one. */
export function listFeeds(
  lists: readonly TargetList[],
  documents: DocumentVectors,
  loss: Loss,
): Record<string, Tensor> {
  const { dimensions } = documents
  const size = lists.length
  const longest = lists.reduce((most, { rows }) => Math.max(most, rows.length), 0)
  const vectors = new Float32Array(size * longest * dimensions)
  const target = new Float32Array(size * longest)
  const padding = new Float32Array(size * longest)
  const others = new Float32Array(size * longest)
  lists.forEach((list, query) => {
    const at = query * longest
    const end = at + list.rows.length
    documents.gather(list.rows, vectors.subarray(at * dimensions, end * dimensions))
    target.set(list.target, at)
    padding.fill(1, end, at + longest)
    for (let i = at; i < end; i++) if (target[i] === 0) others[i] = 1
  })
  const shape = [size, longest]
  const feeds: Record<string, Tensor> = {
    candidates: new Tensor('float32', vectors, [...shape, dimensions]),
    target: new Tensor('float32', target, shape),
  }
  if (loss === 'kl') return { ...feeds, padding: new Tensor('float32', padding, shape) }
  feeds['others'] = new Tensor('float32', others, shape)
  if (loss === 'max-margin') feeds['picks'] = picksOf(target, size, longest)
  return feeds
}

/** For each query a column per relevant candidate, 1 at its place. */
function picksOf(target: Float32Array, size: number, longest: number): Tensor {
  const relevant = Array.from({ length: size }, (_, query) => {
    const list = target.subarray(query * longest, (query + 1) * longest)
    return Array.from(list.keys()).filter((i) => list[i]! > 0)
  })
  const most = relevant.reduce((count, { length }) => Math.max(count, length), 0)
  const picks = new Float32Array(size * longest * most)
  relevant.forEach((places, query) => {
    places.forEach((place, i) => {
      picks[(query * longest + place) * most + i] = 1
    })
  })
  return new Tensor('float32', picks, [size, longest, most])
}
