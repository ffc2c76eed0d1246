import { type Background, type BackgroundOptions, KithError } from '@kith/core'
import { backgroundOf, checkBackground, drawSample } from '@kith/core/internal'
import type { Store } from '../store.ts'
import { textHash } from '../whole-text.ts'
import { fittingBackground } from './fitting-background.ts'
import { type ScannedBlock, searchScanned } from './scan-documents.ts'

/** A store whose documents can be listed. */
export interface ScannedStore extends Pick<Store, 'count' | 'fetch' | 'dimensions'> {
  scan(options: { vectors: boolean }): AsyncIterable<ScannedBlock>
}

/**
 * Measures the background of a store's documents: draws a seeded sample, which depends only on the
 * ids, and finds the nearest other document of half of it in one pass over all vectors.
 */
export async function measureStore(
  store: ScannedStore,
  options: BackgroundOptions = {},
): Promise<Background> {
  const documents = await store.count()
  if (documents < 2) {
    throw new KithError('BAD_INPUT', `a background needs 2 documents or more, got ${documents}`)
  }
  const { chosen, compared } = drawSample(documents, options)
  const ids = await drawIds(store, chosen.length, options.seed ?? 0)
  const found = await store.fetch(ids, { texts: false })
  const sampled = found.filter((document) => document !== undefined)
  const dimensions = store.dimensions!
  const queries = sampled.slice(0, compared)
  const data = new Float32Array(queries.length * dimensions)
  queries.forEach(({ vector }, q) => {
    data.set(vector, q * dimensions)
  })
  const best = await searchScanned(
    { data, rows: queries.length, dimensions },
    store.scan({ vectors: true }),
    { top: 2, metric: 'cosine' },
  )
  // The document itself is the first hit, or comes after a copy of it.
  const nearest = best.map(({ ids, scores }, q) => scores[ids[0] === queries[q]!.id ? 1 : 0]!)
  return backgroundOf(
    documents,
    sampled.map(({ vector }) => vector),
    nearest,
    options.model,
  )
}

/** Returns the ids with the lowest hashes. */
async function drawIds(store: ScannedStore, count: number, seed: number): Promise<string[]> {
  let drawn: { hash: string; id: string }[] = []
  const lowest = (): void => {
    drawn.sort((a, b) => (a.hash < b.hash ? -1 : 1))
    drawn = drawn.slice(0, count)
  }
  let limit = '~'
  for await (const { ids } of store.scan({ vectors: false })) {
    for (const id of ids) {
      const hash = textHash(`${seed} ${id}`)
      if (hash < limit) drawn.push({ hash, id })
    }
    if (drawn.length <= 2 * count) continue
    lowest()
    limit = drawn.at(-1)!.hash
  }
  lowest()
  return drawn.map(({ id }) => id)
}

/** The properties of a store's collection. */
export interface KeepingStore {
  name: string
  documents: number
  dimensions: number | undefined
}

/**
 * Parses the background that a store saved. Returns undefined, with a warning, if the number of
 * documents has doubled or halved since, or if the background does not match the store.
 */
export function usableBackground(
  json: string | undefined,
  { name, ...store }: KeepingStore,
): Background | undefined {
  const kept = keptBackground(json)
  if (!kept) return undefined
  const advice = 'make it again with kith background --store'
  const whose = `the background of the collection ${name}`
  return fittingBackground(kept, { name: 'the store', ...store, about: true }, { whose, advice })
}

/** Returns the model in a store's background, if it names one. */
export function keptModel(json: string | undefined): string | undefined {
  return keptBackground(json)?.model
}

function keptBackground(json: string | undefined): Background | undefined {
  try {
    const kept: unknown = JSON.parse(json ?? '')
    checkBackground(kept)
    return kept
  } catch {
    return undefined
  }
}
