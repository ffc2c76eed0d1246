import { stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { asFileError } from '@kith/base'
import { identityOf } from '../files/paths.ts'
import { type ReadSidecar, readSidecar } from '../files/sidecar.ts'

/** A file that Kith keeps: its sidecar, and why it must be made again, if it must. */
export interface KeptState {
  sidecar: ReadSidecar | undefined
  stale: string | undefined
}

/**
 * Compares a kept file with what it would be made from now. It is stale if its sidecar names
 * other inputs, or inputs of another size, or if an input is newer than it.
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

/** Whether a sidecar means an input: files of the dataset by their place in it, others by the file that is there. */
function isSame(recorded: string, input: string, folder: string): boolean {
  const inside = relative(folder, input)
  if (inside.startsWith('..') || resolve(inside) === inside) {
    return identityOf(recorded) === identityOf(input)
  }
  return `/${recorded.replaceAll('\\', '/')}`.endsWith(`/${inside.replaceAll('\\', '/')}`)
}
