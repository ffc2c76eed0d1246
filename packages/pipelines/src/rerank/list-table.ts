import { KithError, type ListOptions } from '@kith/core'
import type { Need, Rule, SettingTable } from '@kith/core/internal'

/** Settings for making a list from a query's documents; see `shortlist` of `@kith/core`. */
export interface RunList {
  /**
   * Folds a document into an earlier document if their cosine is at least this, or if their texts
   * are equal.
   */
  collapse?: number | undefined
  /** The field of the corpus that groups documents; documents without it belong to no group. */
  group?: string | undefined
  /** Maximum number of documents per group to write. */
  maxPerGroup?: number | undefined
  /** The field of the corpus with a number to add to the document's score. */
  prior?: string | undefined
  priorWeight?: number | undefined
  priorScale?: ListOptions['priorScale']
}

const checkField: Rule = (name, value) => {
  if (typeof value === 'string' && value !== '') return
  throw new KithError(
    'BAD_SETTING',
    `setting ${name} must be the name of a field of the corpus, got ${JSON.stringify(value)}`,
  )
}

const texts: Need = { text: 'texts', holds: (_, use) => use.texts }
const beside = (other: keyof RunList): Need => ({
  text: other,
  holds: (settings) => settings[other] !== undefined,
})

/** The table of list settings. */
export const listTable: SettingTable<RunList> = {
  collapse: {
    help: 'fold a document into an earlier document if their cosine is at least this, or if their texts are equal',
    default: undefined,
    range: { from: 0, to: 1 },
  },
  group: {
    help: 'field of the corpus (JSONL) that groups documents, such as source',
    default: undefined,
    check: checkField,
    needs: [texts],
  },
  maxPerGroup: {
    help: 'documents per group to write',
    default: 1,
    range: { from: 1, integer: true },
    needs: [beside('group')],
  },
  prior: {
    help: 'field of the corpus (JSONL) with a number that is added to the score, such as popularity',
    default: undefined,
    check: checkField,
    needs: [texts],
  },
  priorWeight: {
    help: 'weight of the prior',
    default: 0.1,
    range: { from: 0, to: 1000 },
    needs: [beside('prior')],
  },
  priorScale: {
    help: 'standardize priors over the context, or add log-odds unchanged',
    default: 'standard',
    values: ['standard', 'log-odds'],
    needs: [beside('prior')],
  },
}
