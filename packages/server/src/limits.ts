import { KithError } from '@kith/core'

/** The limits of a server, so that no client can make its memory grow. */
export interface Limits {
  /** Bytes of a request's body. */
  body: number
  /** Documents or texts of a request. */
  documents: number
  /** Characters of a text. */
  characters: number
  /** Texts that wait for the encoder, of each role. */
  queue: number
  /** Requests under way at the same time. */
  requests: number
  /** Seconds that a request may take, and that its body may take to arrive. */
  seconds: number
  /** Bytes of embeddings that are kept for later requests with the same texts. */
  cache: number
}

/** The limits of a server that is told no others. */
export const defaultLimits: Readonly<Limits> = {
  body: 8 * 2 ** 20,
  documents: 1000,
  characters: 32_768,
  queue: 4096,
  requests: 256,
  seconds: 30,
  cache: 256 * 2 ** 20,
}

/** Timers cannot be set for longer than some weeks. */
const DAY = 86_400

/** The given limits, completed and checked. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given }
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isFinite(value) && (value > 0 || (value === 0 && name === 'cache'))) continue
    throw new KithError('BAD_SETTING', `the limit ${name} is ${value}, allowed: numbers above 0`)
  }
  if (limits.seconds > DAY) {
    throw new KithError('BAD_SETTING', `the limit seconds is ${limits.seconds}, at most ${DAY}`)
  }
  if (limits.queue < limits.documents) {
    const problem = `the queue of ${limits.queue} texts is shorter than a request of ${limits.documents}`
    throw new KithError('BAD_SETTING', `${problem}: raise --queue or lower --max-documents`)
  }
  return limits
}
