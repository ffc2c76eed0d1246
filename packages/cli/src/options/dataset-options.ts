import type { Purpose, RoleName } from '@kith/pipelines/dataset'
import type { Output } from '../terminal/output.ts'
import { type DeclaredCommand, type Options, refuseMissing, type Values } from './command.ts'
import { optionalText, UsageError } from './values.ts'

/** The files that a command takes from a dataset. */
export interface DatasetUse {
  /** The purpose of the judgments; it determines the split. */
  purpose: Purpose
  /**
   * The role of each file option in the dataset. If an option that may be repeated has several
   * roles, the file of the first role is made if it is missing, and the files of the other roles
   * are used only if they exist.
   */
  files: DatasetFiles | ((values: Values) => DatasetFiles)
  /** The roles of options that use a file only if the dataset has a current version of it. */
  kept?: Readonly<Record<string, RoleName>>
  /** Whether the command opens the model that made the embeddings. */
  opensModel?(values: Values): boolean
}

export type DatasetFiles = Readonly<Record<string, RoleName | readonly RoleName[]>>

/** The argument that names a dataset. */
export const datasetArgument = {
  value: 'DATASET',
  help: 'folder with corpus.jsonl, queries.jsonl and qrels/; its files replace options that you leave out',
}

/** The option that names the split of a dataset. */
export const splitOption = {
  split: {
    value: 'NAME',
    help: 'split of the judgments of DATASET',
    default: 'test for measuring, dev for tuning, train for training',
    group: 'Dataset',
    rare: true,
  },
} satisfies Options

/** The options that name a part of a dataset. */
export const datasetOptions = {
  ...splitOption,
  model: {
    value: 'MODEL',
    file: 'input',
    help: 'model whose embeddings of DATASET are used',
    default: 'model of the embeddings in DATASET, or minilm',
    group: 'Dataset',
    rare: true,
  },
} satisfies Options

/** Returns whether a command line names a dataset. */
export function namesDataset(command: DeclaredCommand, values: Values): boolean {
  return command.dataset !== undefined && (values['rest'] as string[]).length > 0
}

/** Returns the names of a command's options that only choose a part of a dataset. */
function chosenBy({ options }: DeclaredCommand): string[] {
  return Object.entries(datasetOptions)
    .filter(([name, option]) => options[name] === option)
    .map(([name]) => name)
}

/** Refuses options that choose a part of a dataset if the command line names no dataset. */
export function refuseDatasetOptions(command: DeclaredCommand, values: Values): void {
  const given = chosenBy(command).find((name) => values[name] !== undefined)
  if (given === undefined || command.rest) return
  throw new UsageError(`--${given} works only with a DATASET; use kith ${command.name} DATASET`)
}

/**
 * Fills the file options that the user has not given with files of the dataset on the command line.
 * `check` gets the values before missing or stale embeddings and runs are made.
 */
export async function fillFromDataset(
  command: DeclaredCommand,
  values: Values,
  output: Output,
  check: (planned: Values) => unknown,
): Promise<Values> {
  const [folder, ...others] = values['rest'] as [string, ...string[]]
  if (others.length > 0) throw new UsageError(`expected one DATASET, got ${others.length + 1}`)
  if (values['store'] !== undefined) {
    throw new UsageError(
      'DATASET and --store cannot be combined: a dataset has its documents in files; leave out one of them',
    )
  }
  const { purpose, files, kept = {}, opensModel } = command.dataset!
  const use = Object.entries(typeof files === 'function' ? files(values) : files).map(
    ([option, role]) => ({ option, roles: [role].flat() as RoleName[] }),
  )
  const { openDataset } = await import('@kith/pipelines/dataset')
  const named = use.flatMap(({ option, roles }) => {
    const given = command.options[option]!.file === 'input' ? values[option] : undefined
    return typeof given === 'string' ? [[roles[0], given]] : []
  })
  const dataset = openDataset(folder, {
    ...{ purpose, split: optionalText(values, 'split'), model: optionalText(values, 'model') },
    files: Object.fromEntries(named),
  })
  const missing = use.filter(({ option }) => values[option] === undefined)
  const optional = Object.entries(kept).filter(([option]) => values[option] === undefined)
  const fill = async ({ input, out }: Filling): Promise<Values> => {
    const filled: Record<string, unknown> = { ...values, filled: optional.map(([name]) => name) }
    for (const name of chosenBy(command)) delete filled[name]
    for (const { option, roles } of missing) {
      const { file, multiple, required } = command.options[option]!
      const [first, ...rest] = roles as [RoleName, ...RoleName[]]
      if (file === 'output') {
        filled[option] = out(first)
        continue
      }
      const one = await input(first)
      if (one === undefined && required) {
        throw new UsageError(
          `${folder} has no ${dataset.lacking(first)}; name the file with --${option}`,
        )
      }
      const all = [one]
      for (const role of rest) if (dataset.keeps(role)) all.push(await input(role))
      filled[option] = multiple ? all.filter((path) => path !== undefined) : one
    }
    for (const [option, role] of optional) filled[option] = await dataset.find(role)
    if (use.some(({ roles }) => roles.includes('corpus'))) {
      const found = await dataset.tokenizer()
      // `english` is the default of every command.
      if (found !== 'english') filled['defaultTokenizer'] = found
    }
    if (opensModel?.(values)) filled['model'] ??= await dataset.modelName()
    return filled as Values
  }
  const planned = await fill({
    input: (role) => dataset.plan(role),
    out: (role) => dataset.placeOf(role),
  })
  refuseMissing(command, planned)
  await check(planned)
  const hooks = output.hooks()
  if (missing.some(({ roles }) => roles.includes('qrels'))) dataset.remarkSplit(hooks)
  return fill({ input: (role) => dataset.need(role, hooks), out: (role) => dataset.place(role) })
}

/** Finds the input file and the output path of a role. */
interface Filling {
  input(role: RoleName): Promise<string | undefined>
  out(role: RoleName): string
}
