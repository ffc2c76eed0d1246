import { createHash, timingSafeEqual } from 'node:crypto'
import { KithError } from '@kith/core'
import { Problem } from './problem.ts'

/** The access rules of a server. */
export interface Access {
  host: string
  /** API keys; a request must send one of them. */
  keys: readonly string[]
  /** Whether requests without a key are answered, also from other machines. */
  open: boolean
}

/** Names and addresses of the local machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i

/** Throws if other machines could reach the server without a key, unless `open` allows it. */
export function checkAccess({ host, keys, open }: Access): void {
  if (keys.some((key) => key.length === 0))
    throw new KithError('BAD_SETTING', 'an API key must not be empty')
  if (LOOPBACK.test(host) || keys.length > 0 || open) return
  throw new KithError(
    'BAD_SETTING',
    `other machines can reach ${host}; set --api-key, or disable authentication with --no-auth`,
  )
}

/**
 * Returns a check of a request's headers; the check throws a `Problem` with the answer for the
 * client.
 */
export function guard({
  keys,
  open,
}: Access): (header: (name: string) => string | undefined) => void {
  const digests = keys.map(digest)
  return (header) => {
    if (digests.length === 0) {
      // A web page whose host name resolves to this machine (DNS rebinding) would pass for a local
      // program, but its requests carry that host name.
      if (open || LOOPBACK.test((header('host') ?? '').replace(/:\d+$/, ''))) return
      throw new Problem(403, 'this server has no API key and answers only requests to localhost')
    }
    const bearer = /^Bearer +(.+)$/i.exec(header('authorization') ?? '')?.[1]
    // Clients of Azure, such as Flowise's, send the key in a different header.
    const given = digest((bearer ?? header('api-key') ?? '').trim())
    // Every key is compared, as hashes of equal length, so that the time reveals nothing.
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
