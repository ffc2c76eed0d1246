import { KithError } from '@kith/core'

/**
 * Loads a package that only some users need; if it is missing, the message says what to install.
 *
 * @param need What needs it, such as `encoding needs`.
 */
export async function optionalPackage<T>(
  need: string,
  name: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new KithError('BAD_INPUT', `${need} the package ${name}; run npm install ${name}`)
  }
}
