import { basename } from 'node:path'
import type { Background } from '@kith/core'

/** The vectors that a background has to be of, as far as they are known. */
export interface KnownVectors {
  /** The name of the vectors in a warning. */
  name: string
  dimensions?: number | undefined
  /** The model that made them. */
  model?: string | undefined
  /** How many documents there are, and whether about as many are enough. */
  documents?: number | undefined
  about?: boolean | undefined
}

const warned = new Set<string>()

/**
 * A background if it fits these vectors; otherwise undefined, with a warning that says why, once in
 * a process.
 *
 * @param whose The background in the warning.
 * @param advice What to do about it.
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

/** A model in a folder has the name of the folder, wherever that is. */
function isSame(a: string, b: string): boolean {
  return basename(a) === basename(b)
}
