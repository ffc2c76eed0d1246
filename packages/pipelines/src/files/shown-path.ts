import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import { isStandardInput } from '@kith/base'

/**
 * A path as pages show it: relative to the working folder, since a page that is handed on should not
 * tell how the machine of its maker is laid out. Pipes and devices keep their names.
 */
export function shownPath(path: string): string {
  if (!isAbsolute(path) || path.startsWith('/dev/')) return path
  return relative(process.cwd(), path) || '.'
}

/** Settings with the paths among them as pages show them. */
export function shownPaths(value: unknown): unknown {
  if (typeof value === 'string') return shownPath(value)
  if (Array.isArray(value)) return value.map(shownPaths)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, shownPaths(own)]))
}

/** A collection's name: that of the folder that its judgments or texts lie in; BEIR has its own folder for judgments. */
export function collectionName(file: string): string | undefined {
  if (isStandardInput(file)) return undefined
  const folder = dirname(resolve(file))
  const name = basename(folder)
  return (name === 'qrels' ? basename(dirname(folder)) : name) || undefined
}
