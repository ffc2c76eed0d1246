import { KithError } from '@kith/core'
import { z } from 'zod'
import { Problem } from './problem.ts'
import type { RequestVectors } from './request-vectors.ts'

/** The limits of a server, so that no client can exhaust its memory. */
export interface Limits {
  /** Maximum size of a request's body in bytes. */
  body: number
  /** Maximum number of documents or texts per request. */
  documents: number
  /** Maximum length of a text in characters. */
  characters: number
  /** Maximum number of texts that wait for the encoder, per role. */
  queue: number
  /** Maximum number of requests in progress. */
  requests: number
  /** Timeout of a request in seconds, and of receiving its body. */
  seconds: number
  /** Size in bytes of the cache of embeddings. */
  cache: number
}

/** The default limits of a server. */
export const defaultLimits: Readonly<Limits> = {
  body: 8 * 2 ** 20,
  documents: 1000,
  characters: 32_768,
  queue: 4096,
  requests: 256,
  seconds: 30,
  cache: 256 * 2 ** 20,
}

/** The maximum timeout in seconds: timers cannot run for longer than some weeks. */
const DAY = 86_400

/** Completes the given limits with the defaults, and checks them. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given }
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isFinite(value) && (value > 0 || (value === 0 && name === 'cache'))) continue
    throw new KithError('BAD_SETTING', `the limit ${name} must be a number above 0, got ${value}`)
  }
  if (limits.seconds > DAY) {
    throw new KithError(
      'BAD_SETTING',
      `the limit seconds must be at most ${DAY}, got ${limits.seconds}`,
    )
  }
  if (limits.queue < limits.documents) {
    const problem = `the queue (${limits.queue} texts) must hold a full request (${limits.documents} documents)`
    throw new KithError('BAD_SETTING', `${problem}; raise --queue or lower --max-documents`)
  }
  return limits
}

/** How many texts of a request exceeded a limit and were truncated. */
export interface Cuts {
  /** Texts with more characters than the server accepts. */
  characters: number
  /** Texts of which the encoder read only the first tokens. */
  tokens: number
}

/** The rules for texts that are too long, and the number of such texts in one request. */
export interface TextRules {
  /** The vectors of the request, whose placeholder names replace arrays in its texts. */
  vectors: RequestVectors
  limits: Pick<Limits, 'characters'>
  /** Whether a text beyond the limit is an error; otherwise the text is truncated and counted. */
  strict: boolean
  cuts: Cuts
}

const ADVICE = 'send passages instead of whole documents'

/** Reads a text of a request, truncated at the server's limit of characters. */
export function readText(
  text: string,
  where: string,
  { vectors, limits: { characters }, strict, cuts }: TextRules,
): string {
  if (vectors.named(text)) throw new Problem(422, `${where} must be a text, not numbers`)
  if (text.length <= characters) return text
  if (strict) {
    const length = `${text.length} characters, the limit is ${characters}`
    throw new Problem(413, `${where} has ${length}; ${ADVICE}`)
  }
  cuts.characters++
  const half = endsInHalf(text, characters)
  return text.slice(0, half ? characters - 1 : characters)
}

/** Counts a text of which the encoder read only the first tokens. */
export function countCutTokens(
  where: string,
  most: number,
  { strict, cuts }: Pick<TextRules, 'strict' | 'cuts'>,
): void {
  if (strict) throw new Problem(413, `${where} has more than ${most} tokens; ${ADVICE}`)
  cuts.tokens++
}

/** Returns the rules for a request that may itself choose whether its texts are truncated. */
export function rulesFor<Rules extends TextRules>(
  rules: Rules,
  truncate: boolean | null | undefined,
): Rules {
  return truncate == null ? rules : { ...rules, strict: !truncate }
}

/**
 * The counts of truncated texts in an answer. `warnings` is a field of Cohere's API, which its
 * clients read.
 */
export const cutsSchema = z.object({
  truncated: z.object({ characters: z.int(), tokens: z.int() }).meta({
    description:
      'Number of texts that were truncated by the server’s character limit and by the encoder’s token limit.',
  }),
  warnings: z.array(z.string()).optional(),
})

/** Returns the fields of an answer that count truncated texts. */
export function cutsOf({
  cuts,
  limits,
  embedder,
}: Pick<TextRules, 'cuts' | 'limits'> & {
  embedder: { maxTokens: number } | undefined
}): z.input<typeof cutsSchema> {
  const { characters, tokens } = cuts
  const warnings = [
    ...(characters ? [`texts truncated to ${limits.characters} characters: ${characters}`] : []),
    ...(tokens
      ? [`texts truncated to ${embedder?.maxTokens} tokens by the encoder: ${tokens}`]
      : []),
  ]
  return { truncated: { characters, tokens }, ...(warnings.length > 0 ? { warnings } : {}) }
}

/** Returns whether truncating a text after some characters would split a surrogate pair. */
function endsInHalf(text: string, characters: number): boolean {
  return (text.charCodeAt(characters - 1) & 0xfc00) === 0xd800
}
