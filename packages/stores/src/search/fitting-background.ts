import { basename } from 'node:path'
import type { Background } from '@kith/core'

/** The known properties of the vectors that a background must match. */
export interface KnownVectors {
  /** The name of the vectors in a warning. */
  name: string
  dimensions?: number | undefined
  /** The model that made the vectors. */
  model?: string | undefined
  /** The number of documents, and whether an approximate match of it is enough. */
  documents?: number | undefined
  about?: boolean | undefined
}

const warned = new Set<string>()

/**
 * Returns a background if it matches these vectors; otherwise warns why, once per process, and
 * returns undefined.
 *
 * @param whose The name of the background in the warning.
 * @param advice The remedy in the warning.
 */
export function fittingBackground(
  known: Background | undefined,
  vectors: KnownVectors,
  { whose, advice }: { whose: string; advice: string },
): Background | undefined {
  const reason = known && mismatchOf(known, vectors)
  if (reason === undefined) return known
  const warning = `${whose} ${reason}: relevance is not estimated; ${advice}`
  if (!warned.has(warning)) process.emitWarning(warning, 'KithWarning')
  warned.add(warning)
  return undefined
}

function mismatchOf(
  known: Background,
  { name, dimensions, model, documents, about }: KnownVectors,
): string | undefined {
  if (dimensions !== undefined && known.dimensions !== dimensions) {
    return `has vectors of ${known.dimensions} dimensions, but ${name} has ${dimensions}`
  }
  if (model !== undefined && known.model !== undefined && !isSame(known.model, model)) {
    return `has vectors of the model ${known.model}, but ${name} has vectors of ${model}`
  }
  const ratio = documents === undefined ? 1 : documents / known.documents
  if (about ? ratio < 0.5 || ratio > 2 : ratio !== 1) {
    return `was made from ${known.documents} documents, but ${name} has ${documents}`
  }
  return undefined
}

/** Compares models by the last part of their paths: a model folder may be anywhere. */
function isSame(a: string, b: string): boolean {
  return basename(a) === basename(b)
}
