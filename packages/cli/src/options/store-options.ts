import type { Submission, Submitted } from '@kith/pipelines/batches'
import { storeKind } from '@kith/stores/address'
import type { Output } from '../terminal/output.ts'
import type { Options, Values } from './command.ts'
import { frameOf } from './shared-options.ts'
import { optionalText, text, UsageError } from './values.ts'

/** The option that reads documents from a store instead of a file. */
export const storeOption = {
  store: {
    value: 'ADDRESS',
    file: 'input',
    help: 'store with the documents, instead of --docs: postgres://…, or a LanceDB folder or URL; #name selects a collection',
  },
} satisfies Options

/** The values of the options for documents from a file or a store. */
type SourceValues = Values<typeof storeOption & { docs: { value: string; help: string } }>

/** The option that submits work as a batch for `kith work`. */
export const submitOption = {
  submit: {
    value: 'NAME',
    help: 'submit a batch of this name, which kith work runs on any number of machines (PostgreSQL only)',
  },
} satisfies Options

/** The option with the address of a database, for commands that need one. */
export const databaseOption = {
  store: { value: 'URL', help: 'PostgreSQL database: postgres://…', required: true },
} satisfies Options

/** Reads the address of a database. */
export function readDatabase(values: Values<typeof databaseOption>): string {
  const address = text(values, 'store')
  if (storeKind(address) === 'postgres') return address
  throw new UsageError(`--store must be postgres://…, got ${JSON.stringify(address)}`)
}

/**
 * Reads where documents come from: a file, or the store at an address. Without both, documents come
 * from a Parquet run.
 */
export function readSource(values: SourceValues): { docs: string } | { store: string } {
  const store = optionalText(values, 'store')
  const docs = optionalText(values, 'docs') ?? (store === undefined ? frameOf(values) : undefined)
  if ((docs === undefined) === (store === undefined)) {
    throw new UsageError('exactly one of --docs FILE and --store ADDRESS is required')
  }
  if (docs !== undefined) return { docs }
  return storeKind(store!) === 'file' ? { docs: store! } : { store: store! }
}

/** Reads the batch that `--submit` names; without it, --out is required. */
export function readSubmission(
  values: Values<
    typeof submitOption & typeof storeOption & { out: { value: string; help: string } }
  >,
): Submission | undefined {
  const name = optionalText(values, 'submit')
  if (name === undefined) {
    if (values['out'] === undefined) throw new UsageError('--out FILE is required')
    return undefined
  }
  if (values['out'] !== undefined) {
    throw new UsageError(
      '--submit writes no file; leave out --out, and write the results with kith jobs export when the batch is done',
    )
  }
  if (!optionalText(values, 'store')?.startsWith('postgres')) {
    throw new UsageError('--submit works only with PostgreSQL; add --store postgres://…')
  }
  if (!/^[\w.-]{1,100}$/.test(name)) {
    throw new UsageError('--submit must be a name of 1 to 100 letters, digits, and . _ -')
  }
  return { name }
}

/** Prints the size of a submitted batch, and the command that runs its jobs. */
export function tellSubmitted(output: Output, { name, queries, jobs, fresh }: Submitted): void {
  output.result(
    { batch: name, queries, jobs, fresh },
    fresh
      ? `${name}: submitted ${queries} queries in ${jobs} jobs; run them with kith work`
      : `${name}: already submitted, ${queries} queries`,
  )
}
