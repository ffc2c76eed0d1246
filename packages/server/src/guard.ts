import { createHash, timingSafeEqual } from 'node:crypto'
import { KithError } from '@kith/core'
import { Problem } from './problem.ts'

/** The rules for access to a server. */
export interface Access {
  host: string
  /** Keys of which a request must bring one. */
  keys: readonly string[]
  /** Whether requests without a key are answered, from wherever the server can be reached. */
  open: boolean
}

/** Names that a machine has for itself. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/** Throws if a server could be reached from other machines without a key, unless `open` allows it. */
export function checkAccess({ host, keys, open }: Access): void {
  if (keys.some((key) => key.length === 0))
    throw new KithError('BAD_SETTING', 'an API key must not be empty')
  if (LOOPBACK.test(host) || keys.length > 0 || open) return
  throw new KithError(
    'BAD_SETTING',
    `other machines can reach ${host}; set --api-key, or disable authentication with --no-auth`,
  )
}

/** A check of the headers of each request; it throws the client's answer as a `Problem`. */
export function guard({
  keys,
  open,
}: Access): (header: (name: string) => string | undefined) => void {
  const digests = keys.map(digest)
  return (header) => {
    if (digests.length === 0) {
      // A web page whose name was made to point at this machine would pass for a local
      // program (DNS rebinding); its requests bring that name.
      if (open || LOOPBACK.test((header('host') ?? '').replace(/:\d+$/, ''))) return
      throw new Problem(403, 'this server has no API key and answers only requests to localhost')
    }
    const bearer = /^Bearer +(.+)$/i.exec(header('authorization') ?? '')?.[1]
    // Clients of Azure, such as Flowise's, send the key in a different header.
    const given = digest((bearer ?? header('api-key') ?? '').trim())
    // Every key is compared, and as hashes of one length: the time tells nothing.
    const matches = digests.map((known) => timingSafeEqual(known, given))
    if (matches.includes(true)) return
    throw new Problem(401, 'the API key is missing or wrong; send Authorization: Bearer KEY', {
      'www-authenticate': 'Bearer',
    })
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
