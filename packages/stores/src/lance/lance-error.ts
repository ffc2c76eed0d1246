import { fileURLToPath } from 'node:url'
import { getSystemErrorName } from 'node:util'
import { asFileError, findPath } from '@kith/base'
import { KithError } from '@kith/core'
import { absent, type Store } from '../store.ts'

/** The number of a system error in LanceDB's messages. */
const SYSTEM_ERROR = /\(os error (\d+)\)|Os \{ code: (\d+)/

/** A location in LanceDB's own source. */
const SOURCE = /,? ?\/\S+\.rs:\d+:\d+/g

/** The kinds of errors that LanceDB writes before the reason. */
const KINDS =
  /^((lance error|LanceError\(\w+\)|Failed to \w[\w ]*|Generic \S+ error|Wrapped error): |(GenericFailure|Invalid input), )+/

/** Text of a panic, and of the reasons that LanceDB gives for damaged files. */
const PANIC = /\bpanic|`(Option|Result)::unwrap\(\)`/i
const DAMAGED =
  /Not found: |invalid magic|too small|fill whole buffer|Invalid range|storage version|corrupt/i

/**
 * Converts an error of LanceDB to a one-line error that names the store: with the system's reason
 * if there is one, else LanceDB's reason, without locations in its source.
 *
 * @param store The folder or URL, with the collection.
 */
export function lanceError(store: string, error: unknown): KithError {
  if (error instanceof KithError) return error
  const message = error instanceof Error ? error.message : String(error)
  const wrapped =
    systemError(store, message) ?? new KithError('BAD_INPUT', reasonOf(store, message))
  wrapped.cause = error
  return wrapped
}

/** Wraps a store so that its methods convert errors of LanceDB with `lanceError`. */
export function withLanceErrors(name: string, store: Store): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        try {
          return await value.apply(target, args)
        } catch (error) {
          throw lanceError(name, error)
        }
      }
    },
  })
}

function systemError(store: string, message: string): KithError | undefined {
  const found = SYSTEM_ERROR.exec(message)
  if (!found) return undefined
  const code = getSystemErrorName(-Number(found[1] ?? found[2]))
  return asFileError(store, Object.assign(new Error(found[0]), { code }))
}

function reasonOf(store: string, message: string): string {
  const deepest = message.split('Caused by:').at(-1)!
  const reason = deepest.replace(SOURCE, '').replace(/\s+/g, ' ').trim().replace(KINDS, '')
  if (PANIC.test(message)) {
    return `${store}: LanceDB crashed (${reason}); if the store is damaged, load the documents into a new store (kith load)`
  }
  const advice = DAMAGED.test(message)
    ? '; the store seems to be damaged: load the documents into a new store (kith load)'
    : ''
  return `${store}: LanceDB failed: ${reason}${advice}`
}

/** A LanceDB database, and a collection in it. */
interface LanceAddress {
  place: string
  name: string
}

/** Parses `folder#name`; the default name is `main`. */
export function readLanceAddress(address: string): LanceAddress {
  const [, place, name = 'main'] = /^(.*?)(?:#(\w+))?$/.exec(address)!
  return { place: place!, name }
}

/** Throws unless a folder exists: LanceDB would create it. Object storage has no folders. */
export function checkFolder(place: string): void {
  const isUrl = /^[a-z0-9+]+:\/\//i.test(place)
  if (isUrl && !place.startsWith('file://')) return
  const found = findPath(isUrl ? fileURLToPath(place) : place)
  if (!found) throw absent(place, 'there is no such folder')
  if (!found.isDirectory()) throw absent(place, 'a LanceDB store is a folder, not a file')
}
