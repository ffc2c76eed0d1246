import { FileError } from '@kith/base'
import { type Background, KithError, type ListOptions } from '@kith/core'
import { type StoreAddress, storeName, wholeAddress } from '@kith/stores/address'
import { usesRelevance } from '../job/checks.ts'
import { readCalibration } from '../relevance/calibration-file.ts'
import { namesOf, sameForAll } from './list-settings.ts'
import type { RerankInputs, RerankPlan } from './rerank-run.ts'

/** The documents of a run: a file of embeddings, or a store. */
export type RunDocuments = { docs: string; rows: number; dimensions: number } | StoreAddress

type ListPlan = Pick<RerankPlan, 'cutoff' | 'background' | 'calibration' | 'list' | 'settings'> &
  Pick<RerankInputs, 'out' | 'queryText'>

function needsRelevance(cutoff: RerankInputs['cutoff']): boolean {
  return cutoff !== undefined && typeof cutoff !== 'number'
}

/**
 * Returns the options for folding, truncating and estimating relevance; undefined if none is
 * needed.
 */
export async function listOf(
  plan: ListPlan,
  documents: RunDocuments,
): Promise<ListOptions | undefined> {
  const { cutoff, background: file, calibration, list = {}, settings } = plan
  const words = settings.method === 'neighbors' && settings.mix === 'words'
  const estimates = needsRelevance(cutoff) || (usesRelevance(plan) && words)
  const background = estimates ? await backgroundOf(file, documents) : undefined
  if (needsRelevance(cutoff) && !background) throw noBackground(documents)
  const plain = cutoff === undefined && namesOf(list).length === 0
  if (!background) return plain ? undefined : { ...sameForAll(list), cutoff }
  const scaled = calibration === undefined ? undefined : await readCalibration(calibration)
  return { ...sameForAll(list), cutoff, background, calibration: scaled }
}

async function backgroundOf(
  file: string | undefined,
  documents: RunDocuments,
): Promise<Background | undefined> {
  // Loaded on demand: most runs with documents from a file use no background.
  const { backgroundBeside, readBackground } = await import('@kith/stores/internal')
  if (file !== undefined) return readBackground(file)
  if ('docs' in documents) return backgroundBeside(documents.docs, documents)
  const { openStore } = await import('@kith/stores')
  await using store = await openStore(wholeAddress(documents))
  return await store.background?.()
}

function noBackground(documents: RunDocuments): KithError {
  const advice = (option: string) =>
    `has no background of its documents, which the cutoff needs; make it with kith background ${option}`
  if ('docs' in documents) {
    return new FileError(documents.docs, '', advice(`--docs ${documents.docs}`))
  }
  const name = storeName(documents)
  return new KithError('BAD_INPUT', `${name} ${advice(`--store ${name}`)}`)
}
