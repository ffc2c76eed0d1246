import { readFile } from 'node:fs/promises'
import { FileError } from '@kith/base'
import { type Background, type BackgroundOptions, KithError } from '@kith/core'
import { backgroundOf, checkBackground, drawSample } from '@kith/core/internal'
import type { DocumentSource } from '../documents.ts'
import { searchExact } from '../exact/search-exact.ts'
import { fittingBackground } from './fitting-background.ts'

/** Documents whose rows can be read by number. */
export type SampledDocuments = DocumentSource & {
  gather(rows: ArrayLike<number>): Float32Array
}

/** Returns the path of the background of a file of embeddings, beside that file. */
export function backgroundFile(docs: string): string {
  return `${docs}.background.json`
}

/**
 * Measures the background of documents like `background` of @kith/core: reads the sample by
 * position, and finds its nearest documents by an exact search that streams the others.
 */
export async function measureBackground(
  documents: SampledDocuments,
  options: BackgroundOptions = {},
): Promise<Background> {
  const { rows, dimensions } = documents
  if (rows < 2)
    throw new KithError('BAD_INPUT', `a background needs at least 2 documents, got ${rows}`)
  const { chosen, compared } = drawSample(rows, options)
  const data = documents.gather(chosen)
  const vectors = chosen.map((_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))
  const queries = { data: data.subarray(0, compared * dimensions), rows: compared, dimensions }
  const found = await searchExact(queries, documents, { top: 2, metric: 'cosine' })
  const nearest = vectors.slice(0, compared).map((_, q) => {
    const at = q * found.perQuery
    // The document itself is the first hit, or comes after a copy of it.
    return found.scores[found.rows[at] === chosen[q] ? at + 1 : at]!
  })
  return backgroundOf(rows, vectors, nearest, options.model)
}

/** Reads a background that was saved as JSON. */
export async function readBackground(file: string): Promise<Background> {
  const text = await readFile(file, 'utf8')
  try {
    const value: unknown = JSON.parse(text)
    checkBackground(value)
    return value
  } catch {
    throw new FileError(file, '', 'is not a background file; make one with kith background')
  }
}

/**
 * Reads the background beside a file of embeddings. Returns undefined if there is none, or, with a
 * warning, if its model, dimensions or number of documents differ.
 */
export async function backgroundBeside(
  docs: string,
  { rows, dimensions }: { rows: number; dimensions: number },
): Promise<Background | undefined> {
  const file = backgroundFile(docs)
  const found = await readBackground(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
  const vectors = { name: docs, dimensions, model: await modelOf(docs), documents: rows }
  const advice = `make it again: kith background --docs ${docs}`
  return fittingBackground(found, vectors, { whose: file, advice })
}

/**
 * Returns the model that made a file of embeddings, as `kith encode` recorded it beside the file.
 */
export async function modelOf(docs: string): Promise<string | undefined> {
  try {
    const sidecar = JSON.parse(await readFile(`${docs}.meta.json`, 'utf8'))
    const model: unknown = sidecar?.settings?.model
    return typeof model === 'string' ? model : undefined
  } catch {
    return undefined
  }
}
