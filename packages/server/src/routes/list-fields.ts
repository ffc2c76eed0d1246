import type { ListOptions } from '@kith/core'
import { z } from 'zod'
import { Problem } from '../problem.ts'
import type { RankedList } from '../ranker.ts'
import type { RequestVectors } from '../request-vectors.ts'

/** The largest prior that keeps the scores within float32. */
const LARGEST_PRIOR = 1e30
/** Maximum length of a quoted text in messages, in characters. */
const SHOWN = 40

const fieldName = { type: 'string', description: 'A field of the documents.' }

const perDocument = (types: string[]) => ({
  type: 'array',
  items: { type: [...types, 'null'] },
  description: 'One for each document.',
})

/** The request fields that turn a ranking into a list. `readList` checks `group` and `prior`. */
export const listFields = {
  group: z
    .unknown()
    .optional()
    .meta({
      description:
        'Limit the documents per group: name a field of the documents, or list their groups.',
      oneOf: [fieldName, perDocument(['string', 'number'])],
    }),
  max_per_group: z.int().min(1).nullish().meta({
    description: 'Maximum number of documents per group (default: 1).',
  }),
  collapse: z.number().min(0).max(1).nullish().meta({
    description:
      'Fold documents with at least this cosine, or with equal texts, into one document.',
  }),
  prior: z
    .unknown()
    .optional()
    .meta({
      description:
        'A number per document that is added to its score: name a field, or list the numbers.',
      oneOf: [fieldName, perDocument(['number'])],
    }),
  prior_weight: z.number().min(0).max(1000).nullish().meta({
    description: 'The weight of the priors (default: 0.1).',
  }),
  prior_scale: z.enum(['standard', 'log-odds']).nullish().meta({
    description: 'Standardize the priors (default), or add log-odds unchanged.',
  }),
  cutoff: z
    .union(
      [z.literal('auto'), z.int().min(0), z.strictObject({ relevance: z.number().min(0).max(1) })],
      { error: 'must be "auto", a number of documents, or { "relevance": 0.5 }' },
    )
    .nullish()
    .meta({
      description:
        'Documents to return: "auto" (best expected F1), a number, or a minimum relevance.',
    }),
  on_topic: z.number().min(0).max(1).nullish().meta({
    description: 'Return no document if the query is less probably on topic than this.',
  }),
}

/** The result fields that `group` and `collapse` add. */
export const listedSchema = z.object({
  duplicates: z.array(z.int()).optional().meta({
    description: 'Indices of the documents that repeat this one, if the request has collapse.',
  }),
  others: z.array(z.int()).optional().meta({
    description: 'Indices of further documents of the group, if the request has group.',
  }),
})

/** The field of an answer's `meta` for `on_topic`. */
export const onTopicSchema = z.object({
  on_topic: z.number().optional().meta({
    description: 'Probability that the query is on topic, if the request has on_topic.',
  }),
})

type Fields = z.output<z.ZodObject<typeof listFields>>

/** The documents of a request, before they are read. */
interface Given {
  documents: readonly unknown[]
  /** The name of the field with the documents. */
  list: 'documents' | 'texts'
  vectors: RequestVectors
}

/** Reads the list options of a request; returns undefined if it has none. */
export function readList(fields: Fields, given: Given): ListOptions | undefined {
  const { group, prior } = fields
  refuseWithout('max_per_group', fields.max_per_group, 'group', group)
  refuseWithout('prior_weight', fields.prior_weight, 'prior', prior)
  refuseWithout('prior_scale', fields.prior_scale, 'prior', prior)
  const options: ListOptions = {
    groups: readColumn('group', group, given, groupKey),
    maxPerGroup: fields.max_per_group ?? undefined,
    collapse: fields.collapse ?? undefined,
    priors: readColumn('prior', prior, given, finitePrior),
    priorWeight: fields.prior_weight ?? undefined,
    priorScale: fields.prior_scale ?? undefined,
    cutoff: fields.cutoff ?? undefined,
    onTopic: fields.on_topic ?? undefined,
  }
  return Object.values(options).some((value) => value !== undefined) ? options : undefined
}

/** Returns the list fields of the result at a place. */
export function listedAt(
  { duplicates, others }: Pick<RankedList, 'duplicates' | 'others'>,
  place: number,
): z.output<typeof listedSchema> {
  return {
    ...(duplicates ? { duplicates: duplicates[place]! } : {}),
    ...(others ? { others: others[place]! } : {}),
  }
}

function refuseWithout(name: string, value: unknown, needed: string, other: unknown): void {
  if (value == null || other != null) return
  throw new Problem(422, `${name} has no effect without ${needed}; leave it out`)
}

/** A type of value, and its name in messages. */
interface Kind<T> {
  of(value: unknown): value is T
  name: string
}

const groupKey: Kind<string | number> = {
  of: (value): value is string | number => typeof value === 'string' || Number.isFinite(value),
  name: 'a string, a number or null',
}

const finitePrior: Kind<number> = {
  of: (value): value is number => typeof value === 'number' && Math.abs(value) <= LARGEST_PRIOR,
  name: `a number up to ${LARGEST_PRIOR} or null`,
}

/** Reads a value for each document, from an array or from a field of the documents. */
function readColumn<T>(
  name: string,
  value: unknown,
  { documents, list, vectors }: Given,
  kind: Kind<T>,
): (T | undefined)[] | undefined {
  if (value == null) return undefined
  const check = (one: unknown, where: string): T | undefined => {
    if (one == null) return undefined
    const isVector = typeof one === 'string' && vectors.named(one) !== undefined
    if (kind.of(one) && !isVector) return one
    const got = isVector ? 'an array' : shown(one)
    throw new Problem(422, `${where} must be ${kind.name}, got ${got}`)
  }
  if (Array.isArray(value)) {
    if (value.length !== documents.length) {
      const lengths = `${documents.length} entries, one for each of ${list}, got ${value.length}`
      throw new Problem(422, `${name} must have ${lengths}`)
    }
    return value.map((one, i) => check(one, `${name}[${i}]`))
  }
  if (typeof value !== 'string') {
    const expected = `a field of the documents, or a list with an entry for each of ${list}`
    throw new Problem(422, `${name} must be ${expected}, got ${shown(value)}`)
  }
  const field = value
  const column = documents.map((document, i) =>
    typeof document === 'object' && document !== null && Object.hasOwn(document, field)
      ? check((document as Record<string, unknown>)[field], `${list}[${i}].${cut(field)}`)
      : undefined,
  )
  if (column.every((one) => one === undefined)) {
    const advice = 'send documents as objects that have it, or a list with an entry for each'
    throw new Problem(422, `${name}: none of ${list} has the field ${shown(field)}; ${advice}`)
  }
  return column
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
