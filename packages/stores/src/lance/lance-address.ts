import { fileURLToPath } from 'node:url'
import { findPath } from '@kith/base'
import { absent } from '../absent-store.ts'

/** A LanceDB database, and the collection in it. */
export interface LanceAddress {
  place: string
  name: string
}

/** Reads `folder#name`; without a name the collection is `main`. */
export function readLanceAddress(address: string): LanceAddress {
  const [, place, name = 'main'] = /^(.*?)(?:#(\w+))?$/.exec(address)!
  return { place: place!, name }
}

/** Throws unless a folder is there: LanceDB would create it. Object storage has no folders. */
export function checkFolder(place: string): void {
  const isUrl = /^[a-z0-9+]+:\/\//i.test(place)
  if (isUrl && !place.startsWith('file://')) return
  const found = findPath(isUrl ? fileURLToPath(place) : place)
  if (!found) throw absent(place, 'there is no such folder')
  if (!found.isDirectory()) throw absent(place, 'a LanceDB store is a folder, not a file')
}
