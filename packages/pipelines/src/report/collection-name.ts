import { basename, dirname, resolve } from 'node:path'
import { isStandardInput } from '@kith/base'

/** A collection's name: that of the folder that its judgments or texts lie in; BEIR has its own folder for judgments. */
export function collectionName(file: string): string | undefined {
  if (isStandardInput(file)) return undefined
  const folder = dirname(resolve(file))
  const name = basename(folder)
  return (name === 'qrels' ? basename(dirname(folder)) : name) || undefined
}
