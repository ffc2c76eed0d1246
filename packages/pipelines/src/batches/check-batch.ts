import { KithError, resolveLabelSettings, resolveMethodSettings } from '@kith/core'
import { runColumns } from '@kith/ir/internal'
import type { Batch } from '@kith/work'
import { labelFormats, labelValues } from '../job/job-defaults.ts'
import { missingPolicies } from '../join/missing.ts'
import type { LabelWork } from '../labels/label-work.ts'
import type { RerankWork } from './batch-rerank.ts'
import type { BatchWork } from './batch-work.ts'

/**
 * Checks a batch from the database. Any SQL client can have changed its row, so its settings follow
 * the same rules as settings in files and options.
 */
export function checkBatch({
  name,
  kind,
  settings,
}: Pick<Batch, 'name' | 'kind' | 'settings'>): BatchWork {
  try {
    const { collection, ...rest } = settings
    if (collection !== undefined && typeof collection !== 'string') {
      wrong('collection', collection, 'a name')
    }
    if (kind === 'rerank') return { kind, collection, settings: checkRerank(rest) }
    if (kind === 'labels') return { kind, collection, settings: checkLabels(rest) }
    return wrong('kind', kind, 'rerank or labels')
  } catch (error) {
    const { message } = error as Error
    const problem = `batch ${name} in the database is invalid: ${message}; remove the batch and submit it again`
    throw new KithError('BAD_INPUT', problem)
  }
}

function checkRerank(batch: Readonly<Record<string, unknown>>): RerankWork {
  const { settings, missing, texts, statistics, columns = [] } = batch
  checkSettings(settings, resolveMethodSettings)
  one('missing', missing, missingPolicies)
  one('texts', texts, [true, false])
  one('statistics', statistics, [true, false])
  if (!Array.isArray(columns)) return wrong('columns', columns, 'an array')
  for (const name of columns) one('columns', name, runColumns)
  return batch as unknown as RerankWork
}

/** Checks that label settings are complete and valid. */
export function checkLabels(batch: Readonly<Record<string, unknown>>): LabelWork {
  const { settings, layout, level, missing, texts } = batch
  checkSettings(settings, resolveLabelSettings)
  if (!isObject(layout)) return wrong('layout', layout, 'an object')
  const { format, values, negatives } = layout
  one('layout.format', format, labelFormats)
  one('layout.values', values, labelValues)
  if (!Number.isSafeInteger(negatives) || (negatives as number) < 1) {
    wrong('layout.negatives', negatives, 'a whole number of at least 1')
  }
  if (!Number.isFinite(level)) wrong('level', level, 'a number')
  one('missing', missing, missingPolicies)
  one('texts', texts, [true, false])
  return batch as unknown as LabelWork
}

/** Throws unless settings are complete and valid: a missing setting is an error, not a default. */
function checkSettings(settings: unknown, resolve: (settings: object) => object): void {
  const given = isObject(settings) ? settings : wrong('settings', settings, 'an object')
  const lacking = Object.keys(resolve(given)).find((name) => !Object.hasOwn(given, name))
  if (lacking !== undefined) throw new KithError('BAD_SETTING', `setting ${lacking} is missing`)
}

function one(name: string, value: unknown, allowed: readonly unknown[]): void {
  if (!allowed.includes(value)) wrong(name, value, allowed.join(' or '))
}

function wrong(name: string, value: unknown, allowed: string): never {
  const shown = JSON.stringify(value)?.slice(0, 200)
  throw new KithError('BAD_SETTING', `setting ${name} must be ${allowed}, got ${shown}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
