import { stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { asFileError } from '@kith/base'
import { identityOf } from '../files/paths.ts'
import { type ReadSidecar, readSidecar } from '../files/sidecar.ts'

/** The sidecar of a file in `.kith`, and the reason why the file must be made again, if it must. */
export interface KeptState {
  sidecar: ReadSidecar | undefined
  stale: string | undefined
}

/**
 * Compares a file in `.kith` with its current inputs. The file is stale if its sidecar names other
 * inputs, or inputs of another size, or if an input is newer than the file.
 *
 * @param folder The dataset's folder, which may have been moved since.
 */
export async function stateOf(
  file: string,
  inputs: readonly string[],
  folder: string,
): Promise<KeptState> {
  const sidecar = await readSidecar(file).catch(() => undefined)
  if (!Array.isArray(sidecar?.inputs))
    return { sidecar: undefined, stale: 'no .meta.json beside it' }
  const { mtimeMs } = await stat(file)
  for (const input of inputs) {
    const now = await stat(input).catch((error: unknown) => {
      throw asFileError(input, error)
    })
    const recorded = sidecar.inputs.find(({ file: name }) => isSame(name, input, folder))
    if (!recorded) return { sidecar, stale: `made without ${input}` }
    if (recorded.bytes !== now.size || now.mtimeMs > mtimeMs) {
      return { sidecar, stale: `${input} has changed` }
    }
  }
  return { sidecar, stale: undefined }
}

/**
 * Returns whether a sidecar's entry is this input: files of the dataset are compared by their path
 * in it, other files by identity.
 */
function isSame(recorded: string, input: string, folder: string): boolean {
  const inside = relative(folder, input)
  if (inside.startsWith('..') || resolve(inside) === inside) {
    return identityOf(recorded) === identityOf(input)
  }
  return `/${recorded.replaceAll('\\', '/')}`.endsWith(`/${inside.replaceAll('\\', '/')}`)
}
