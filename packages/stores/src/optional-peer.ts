import { KithError } from '@kith/core'

/** Loads a package that only some users need; the message says what to install where it is missing. */
export async function optionalPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new KithError('BAD_INPUT', `this store needs the package ${name}: npm install ${name}`)
  }
}
