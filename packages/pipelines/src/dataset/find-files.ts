import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findPath } from '@kith/base'
import { KithError } from '@kith/core'
import { type RoleName, roles } from './roles.ts'

/** The purpose of judgments: measuring rankings, choosing settings, or training. */
export type Purpose = 'measure' | 'tune' | 'train'

/** The preferred splits for a purpose, best first; other splits follow by name. */
const preferred: Readonly<Record<Purpose, readonly string[]>> = {
  measure: ['test', 'dev', 'train'],
  tune: ['dev', 'train', 'test'],
  train: ['train', 'dev', 'test'],
}

/** The folder of a dataset that Kith writes to. */
export const KEPT = '.kith'

/** Finds a file of a dataset by its role; undefined if the folder has none. */
export function findFile(
  folder: string,
  role: RoleName,
  split: string | undefined,
  suffix = '',
): string | undefined {
  const names = roles[role].found
    .filter((name) => split !== undefined || !name.includes('SPLIT'))
    .map((name) => named(name, { SPLIT: split ?? '', SUFFIX: suffix }))
  return names.map((name) => join(folder, name)).find((file) => findPath(file)?.isFile())
}

/** Fills in the placeholders of a file name in the table of roles. */
export function named(pattern: string, parts: Readonly<Record<string, string>>): string {
  return pattern.replace(/SPLIT|SUFFIX|MODEL/g, (part) => parts[part]!)
}

/** Returns the splits with judgments in a dataset; empty if its judgments have no splits. */
export function splitsOf(folder: string): string[] {
  const found = new Set<string>()
  for (const pattern of roles.qrels.found.filter((name) => name.includes('SPLIT'))) {
    const [under, name] = pattern.includes('/') ? pattern.split('/') : ['', pattern]
    const [start, end] = name!.split('SPLIT') as [string, string]
    for (const file of namesIn(join(folder, under!))) {
      if (!file.startsWith(start) || !file.endsWith(end)) continue
      const split = file.slice(start.length, file.length - end.length)
      if (split !== '') found.add(split)
    }
  }
  return [...found].sort()
}

/**
 * Returns the split for a purpose: `test` for measuring, `dev` for choosing settings, `train` for
 * training, or the next best existing split. MS MARCO's names such as `dev.small` count as `dev`.
 */
export function chooseSplit(
  folder: string,
  splits: readonly string[],
  purpose: Purpose,
  wanted: string | undefined,
): string | undefined {
  if (wanted === undefined) {
    for (const name of preferred[purpose]) {
      const fitting = splits.find((split) => split === name || split.startsWith(`${name}.`))
      if (fitting !== undefined) return fitting
    }
    return splits[0]
  }
  if (splits.includes(wanted)) return wanted
  const there = splits.length > 0 ? `splits: ${splits.join(', ')}` : 'the dataset has no splits'
  throw new KithError('BAD_INPUT', `${folder} has no split ${JSON.stringify(wanted)}; ${there}`)
}

/** Returns the models whose embeddings are stored in a dataset. */
export function keptModels(folder: string): string[] {
  const kept = join(folder, KEPT)
  return namesIn(kept)
    .filter((model) => findPath(join(kept, model, 'docs.npy'))?.isFile())
    .sort()
}

function namesIn(folder: string): string[] {
  return findPath(folder)?.isDirectory() ? readdirSync(folder) : []
}
