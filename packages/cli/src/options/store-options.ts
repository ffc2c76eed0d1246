import type { Submission } from '@kith/pipelines/batches'
import { storeKind } from '@kith/stores/internal'
import type { Options, Values } from './command.ts'
import { UsageError } from './usage-error.ts'
import { optionalText, text } from './values.ts'

/** Documents of a store instead of a file. */
export const storeOption = {
  store: {
    value: 'ADDRESS',
    file: 'input',
    help: 'documents in a store instead of --docs: postgres://…, or a LanceDB folder or URL; #name names a collection',
  },
} satisfies Options

/** Documents of a file or of a store. */
type SourceValues = Values<typeof storeOption & { docs: { value: string; help: string } }>

/** Submits work as a batch for `kith work`. */
export const submitOption = {
  submit: {
    value: 'NAME',
    help: 'leave the work to kith work on any number of machines, as a batch of this name (PostgreSQL only)',
  },
} satisfies Options

/** Where a database is, for commands that need one. */
export const databaseOption = {
  store: { value: 'URL', help: 'the database: postgres://…', required: true },
} satisfies Options

/** The address of a database. */
export function readDatabase(values: Values<typeof databaseOption>): string {
  const address = text(values, 'store')
  if (storeKind(address) === 'postgres') return address
  throw new UsageError(`--store takes postgres://…, not ${JSON.stringify(address)}`)
}

/** Where documents come from: a file, or the store at an address. */
export function readSource(values: SourceValues): { docs: string } | { store: string } {
  const [docs, store] = [optionalText(values, 'docs'), optionalText(values, 'store')]
  if ((docs === undefined) === (store === undefined)) {
    throw new UsageError('give --docs FILE or --store ADDRESS')
  }
  if (docs !== undefined) return { docs }
  return storeKind(store!) === 'file' ? { docs: store! } : { store: store! }
}

/** The batch that `--submit` names; without it, --out is needed. */
export function readSubmission(
  values: Values<
    typeof submitOption & typeof storeOption & { out: { value: string; help: string } }
  >,
): Submission | undefined {
  const name = optionalText(values, 'submit')
  if (name === undefined) {
    if (values['out'] === undefined) throw new UsageError('--out FILE is missing')
    return undefined
  }
  if (values['out'] !== undefined) {
    throw new UsageError('--submit writes no file: kith jobs export does when the work is done')
  }
  if (!optionalText(values, 'store')?.startsWith('postgres')) {
    throw new UsageError('--submit needs --store postgres://…')
  }
  if (!/^[\w.-]{1,100}$/.test(name)) {
    throw new UsageError('--submit takes a name of up to 100 letters, digits, and . _ -')
  }
  return { name }
}
