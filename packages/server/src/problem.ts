/** An error answer to a request: a status, and a sentence that says what to do. */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly status: number,
    message: string,
    /** Headers of the answer, such as Retry-After. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** The reason for the server's log; clients do not see it. */
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** Returns the answer of an overloaded server, which says when to retry. */
export function overloaded(message: string): Problem {
  return new Problem(429, message, { 'retry-after': '1' })
}

/** Returns the answer if something that the server needs is temporarily unavailable. */
export function unavailable(message: string, cause?: unknown): Problem {
  return new Problem(503, message, { 'retry-after': '1' }, cause)
}

/** Formats an error in the shape of a protocol. */
export type ErrorShape = (status: number, message: string) => object

/**
 * The error shape of Cohere, which reads `message`, and Jina, which reads `detail`: both send
 * rerank requests to the same path.
 */
export const cohereError: ErrorShape = (_, message) => ({ message, detail: message })

/** The error shape of text-embeddings-inference. */
export const teiError: ErrorShape = (status, message) => ({
  error: message,
  error_type:
    status === 429 || status === 503 ? 'Overloaded' : status >= 500 ? 'Backend' : 'Validation',
})

/** The error shape of OpenAI. */
export const openAiError: ErrorShape = (status, message) => ({
  error: { message, type: typeOf(status), param: null, code: codes[status] ?? null },
})

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'not_found',
  429: 'rate_limit_exceeded',
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error'
  if (status === 401) return 'authentication_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
