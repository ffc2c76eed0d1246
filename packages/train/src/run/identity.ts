import { below, sfcWords } from '@kith/base/random'
import { resolveLabelSettings } from '@kith/core'
import type { DocumentVectors, TrainingQuery } from '../data/training-query.ts'
import type { QueryModel } from '../models/query-model.ts'
import type { TrainSettings } from '../settings.ts'
import { Digest, isDigest } from './digest.ts'

/**
 * The inputs that determine a training, by name: settings as values, data as digests. A checkpoint
 * stores this identity, and only a training with the same identity can resume from it.
 */
export type Identity = Readonly<Record<string, unknown>>

/** The parts of a training that determine its identity. */
interface IdentifiedTraining {
  model: QueryModel
  documents: DocumentVectors
  documentsVersion?: string | undefined
  queries: readonly TrainingQuery[]
  validation?: readonly TrainingQuery[] | undefined
}

/** Maximum bytes of float32 vectors to read completely: takes some seconds. */
const WHOLE = 2 ** 30
/** Number of rows to sample from more documents. */
const SAMPLES = 10_000
/** Count of numbers to read at a time. */
const BLOCK = 2 ** 20

/** Change this whenever an identity covers different inputs. */
const FORMAT = 2

/** Computes the identity of a training, whose model must have its initial weights. */
export function trainingIdentity(
  { model, documents, documentsVersion, queries, validation = [] }: IdentifiedTraining,
  { target, ...settings }: TrainSettings,
): Identity {
  const labels = target && Object.entries(resolveLabelSettings(target))
  return {
    format: FORMAT,
    ...settings,
    ...(labels
      ? Object.fromEntries(labels.map(([name, value]) => [`target.${name}`, value]))
      : { target: null }),
    ...modelIdentity(model),
    ...documentsIdentity(documents, documentsVersion),
    ...queriesIdentity('training queries', queries),
    ...queriesIdentity('validation queries', validation),
  }
}

/** Computes the identity of a model: its current weights, and how they are used. */
export function modelIdentity(model: QueryModel): Identity {
  const weights = new Digest()
  for (const [name, data] of model.weights) {
    weights.text(name).rows(model.shapes.get(name)).array(data)
  }
  const learning = new Digest()
  for (const name of model.trained) learning.text(name)
  return {
    'weights of the model': weights.end(),
    'choice of the model’s weights that learn': learning.end(),
    ...model.identity,
  }
}

/**
 * Computes a digest of the documents. Reads the vectors and ids of all rows if that takes seconds.
 * For larger collections, it reads one pseudo-random row from each of 10,000 equal ranges:
 * different embeddings differ in some of these rows, and a file with a few changed rows has another
 * version.
 *
 * @param version The version of the documents' file, such as its size and modification time. It
 * counts only if not all rows are read: a copy of a file has the same documents.
 */
export function documentsIdentity(
  documents: DocumentVectors,
  version?: string | undefined,
  whole = WHOLE,
): Readonly<Record<string, unknown>> {
  const { rows, dimensions } = documents
  const all = rows * dimensions * 4 <= whole || rows <= SAMPLES
  const [vectors, ids] = [new Digest(), new Digest()]
  const count = all ? rows : SAMPLES
  const samples = all ? undefined : sampledRows(rows)
  const perBlock = Math.max(1, Math.floor(BLOCK / dimensions))
  for (let from = 0; from < count; from += perBlock) {
    const to = Math.min(count, from + perBlock)
    const block = samples?.subarray(from, to)
    vectors.array(block ? documents.gather(block) : documents.read(from, to))
    for (let i = from; i < to; i++) ids.text(documents.idOf?.(samples?.[i] ?? i))
  }
  return {
    documents: `${rows} × ${dimensions}`,
    'vectors of the documents': vectors.end(),
    'ids of the documents': ids.end(),
    'file of the documents': all ? null : (version ?? null),
  }
}

/** Samples one row from each range; the same number of rows gives the same sample. */
function sampledRows(rows: number): Uint32Array {
  const words = sfcWords(rows)
  const start = (stretch: number) => Math.floor((stretch * rows) / SAMPLES)
  return Uint32Array.from({ length: SAMPLES }, (_, stretch) => {
    const [from, to] = [start(stretch), start(stretch + 1)]
    return from + below(to - from, words)
  })
}

/**
 * Computes the identity of queries, part by part, so that a message can name the part that differs.
 */
function queriesIdentity(name: string, queries: readonly TrainingQuery[]): Identity {
  const ids = new Digest()
  const [texts, vectors, judgments] = [new Digest(), new Digest(), new Digest()]
  const [candidates, labels] = [new Digest(), new Digest()]
  for (const query of queries) {
    ids.text(query.id)
    texts.text(query.text)
    vectors.array(query.vector)
    judgments.rows(query.relevant).numbers(query.grades)
    candidates.rows(query.retrieved)
    labels.rows(query.labels?.rows).numbers(query.labels?.values)
  }
  return {
    [`number of ${name}`]: queries.length,
    [`ids of the ${name}`]: ids.end(),
    [`texts of the ${name}`]: texts.end(),
    [`embeddings of the ${name}`]: vectors.end(),
    [`judgments of the ${name}`]: judgments.end(),
    [`candidates of the ${name}`]: candidates.end(),
    [`labels of the ${name}`]: labels.end(),
  }
}

/**
 * Describes the differences between a checkpoint's training and this one; undefined if there are
 * none.
 */
export function differenceOf(before: Identity, now: Identity): string | undefined {
  if (before['format'] !== now['format']) {
    return 'was made by a version of Kith that did not record documents and model; train again in another folder'
  }
  const names = Object.keys({ ...before, ...now })
  const differences = names.flatMap((name) => {
    const [was, is] = [before[name], now[name]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    if (isDigest(was) || isDigest(is)) return [`other ${name}`]
    return [`${name} ${shown(was)} (now: ${shown(is)})`]
  })
  if (differences.length === 0) return undefined
  return `was trained with ${differences.join('; with ')}; use the same inputs and settings, or another folder`
}

function shown(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value)
}
