import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { TextEmbedder } from '../embedder.ts'
import type { Cuts, Limits } from '../limits.ts'
import { type ErrorShape, Problem } from '../problem.ts'
import type { Ranker } from '../ranker.ts'
import type { RequestVectors } from '../request-vectors.ts'
import type { DocumentSearcher } from '../searcher.ts'

/** The services that routes use. */
export interface Services {
  limits: Limits
  /** Whether a text that is too long is an error; otherwise the text is truncated. */
  strict: boolean
  ranker: Ranker
  embedder: TextEmbedder | undefined
  searcher: DocumentSearcher | undefined
  /** The model's name in answers. */
  model: string
}

/** A request to a route. */
export interface Call extends Services {
  /** The embeddings in the body, by their placeholder names. */
  vectors: RequestVectors
  /** The number of truncated texts in the request, counted while the request is handled. */
  cuts: Cuts
  /**
   * Returns a signal that is aborted when the client disconnects or the request times out; it is
   * created at the first call.
   */
  signal(): AbortSignal
}

/** A path that answers JSON with JSON. */
export interface Route {
  path: string
  summary: string
  errors: ErrorShape
  /** The schemas of body and answer, for the OpenAPI description. */
  body: z.ZodType
  answer: z.ZodType
  handle(json: unknown, call: Call): Promise<unknown>
}

/** Creates a route whose schema checks the body before `handle` gets it. */
export function route<Body extends z.ZodType, Answer extends z.ZodType>(
  description: Omit<Route, 'body' | 'answer' | 'handle'> & {
    body: Body
    answer: Answer
    /** The field with the documents or texts, whose number is limited. */
    list?: string
    handle(body: z.output<Body>, call: Call): Promise<z.input<Answer>>
  },
): Route {
  const { body, list, handle } = description
  return {
    ...description,
    async handle(json, call) {
      if (list) checkCount(json, list, call.limits.documents)
      const parsed = body.safeParse(json)
      if (!parsed.success) throw new Problem(422, sentence(parsed.error))
      return handle(parsed.data, call)
    },
  }
}

/** Creates an id for an answer, to compare logs. */
export function answerId(): string {
  return randomUUID()
}

/** Throws if a list is too long. The schema would check every entry first, which takes longer. */
function checkCount(json: unknown, list: string, most: number): void {
  const given = (json as Record<string, unknown> | null)?.[list]
  if (!Array.isArray(given) || given.length <= most) return
  throw new Problem(413, `${list} has ${given.length} entries, the limit is ${most}`)
}

/** Describes the first validation error. */
function sentence({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!
  const where = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
  return `${where.join('').replace(/^\./, '') || 'the body'}: ${message}`
}
