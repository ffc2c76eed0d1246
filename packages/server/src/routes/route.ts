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
  /** Whether a text that is too long is an error; else it is cut. */
  strict: boolean
  ranker: Ranker
  embedder: TextEmbedder | undefined
  searcher: DocumentSearcher | undefined
  /** The model's name in answers. */
  model: string
}

/** A request to a route. */
export interface Call extends Services {
  /** The embeddings in the body, by their names. */
  vectors: RequestVectors
  /** The truncated texts of the request; counted while it is handled. */
  cuts: Cuts
  /** Ends the work when the client has disconnected or the time is up; made at its first use. */
  signal(): AbortSignal
}

/** An address that answers JSON with JSON. */
export interface Route {
  path: string
  summary: string
  errors: ErrorShape
  /** The schemas of body and answer, for the description of the server. */
  body: z.ZodType
  answer: z.ZodType
  handle(json: unknown, call: Call): Promise<unknown>
}

/** A route whose body is checked by its schema before it is handled. */
export function route<Body extends z.ZodType, Answer extends z.ZodType>(
  description: Omit<Route, 'body' | 'answer' | 'handle'> & {
    body: Body
    answer: Answer
    /** The field with the documents or texts, of which there may be too many. */
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

/** An id of an answer, for comparing logs. */
export function answerId(): string {
  return randomUUID()
}

/** Before the schema looks at each of them: that would take longer than refusing. */
function checkCount(json: unknown, list: string, most: number): void {
  const given = (json as Record<string, unknown> | null)?.[list]
  if (!Array.isArray(given) || given.length <= most) return
  throw new Problem(413, `${list} has ${given.length} entries, the limit is ${most}`)
}

/** The first thing that is wrong. */
function sentence({ issues }: z.ZodError): string {
  const { path, message } = issues[0]!
  const where = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
  return `${where.join('').replace(/^\./, '') || 'the body'}: ${message}`
}
