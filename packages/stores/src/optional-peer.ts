import { optionalPackage } from '@kith/base'

/** Loads a package that only the users of one store need. */
export function optionalPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  return optionalPackage('this store needs', name, load)
}
