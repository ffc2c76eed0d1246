import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isStandardInput } from '@kith/base'
import type { TokenizerName } from '@kith/core'
import type { AnyTable } from '@kith/core/internal'
import type { Output } from '../terminal/output.ts'
import type { Stop } from '../terminal/stop.ts'
import type { DatasetUse } from './dataset-options.ts'
import { nearestWord } from './nearest-word.ts'
import { UsageError } from './values.ts'

/** The role of a file: read or written by a command. */
export type FileRole = 'input' | 'output'

/** An option of a command. */
export interface Option {
  /**
   * The placeholder for the option's value in the help, such as `FILE`; an option without one is a
   * switch.
   */
  value?: string
  help: string
  /**
   * Whether the command reads or writes the file or folder that the option names; undefined if the
   * option names none.
   */
  file?: FileRole
  required?: boolean
  /** Whether the option may be given several times. */
  multiple?: boolean
  /** The default, as the help shows it. */
  default?: string
  /** The heading that the help lists the option under; by default, the heading for its kind. */
  group?: Group
  /** Whether only `--help-all` lists the option. */
  rare?: boolean
  /** The settings that the option takes by name, for `--help-all` and the documentation. */
  settings?: AnyTable
}

/** The headings of options in the help, in their order. */
export const groups = ['Input', 'Dataset', 'Output', 'Method', 'Performance', 'General'] as const

/** A heading of options in the help. */
export type Group = (typeof groups)[number]

export type Options = Readonly<Record<string, Option>>

/** The values of options whose declarations are not known. */
type AnyValues = Readonly<Record<string, string | boolean | string[] | undefined>>

/**
 * The value of one option: a text, an array of texts if the option may be repeated, or true for a
 * switch.
 */
type ValueOf<O extends Option> = O extends { value: string }
  ? O extends { multiple: true }
    ? string[]
    : string
  : boolean

/**
 * The values of options that the user gave, by name. The values of declared options are typed by
 * their declaration, so that a misspelled name does not compile.
 */
export type Values<O extends Options = Options> = string extends keyof O
  ? AnyValues
  : { readonly [Name in keyof O]?: ValueOf<O[Name]> | undefined } & {
      /** The arguments after the options. */
      readonly rest?: string[]
      /**
       * The options, not set by the user, that take a file of the dataset if the dataset has it.
       */
      readonly filled?: string[]
      /** The tokenizer of a dataset's texts. */
      readonly defaultTokenizer?: TokenizerName | undefined
    }

/** A command of `kith`, as its module declares it. */
export interface DeclaredCommand {
  name: string
  /** The text of the command's own help. */
  description: string
  /** A command line that works. */
  example: string
  options: Options
  /** The arguments after the options, at least one, such as `FILE…`. */
  rest?: { value: string; help: string; file?: FileRole }
  /** The files of a dataset that the command reads if one argument may name its folder. */
  dataset?: DatasetUse
  /**
   * Lists the files that the command replaces besides the files in its options: in a folder, or
   * beside a file.
   */
  writes?(values: Values): string[]
  /**
   * Reads and checks the options before missing files of a dataset are made; without it, `run` gets
   * the values.
   */
  read?(values: Values): unknown
  run(inputs: unknown, output: Output, stop: Stop): Promise<void>
}

/** A command of `kith`, with its summary from the list of commands. */
export interface Command extends DeclaredCommand {
  summary: string
}

/** Marks options so that only `--help-all` lists them, with some exceptions. */
export function rare<const O extends Options>(options: O, ...except: readonly string[]): O {
  const marked = Object.entries(options).map(([name, option]) => [
    name,
    except.includes(name) ? option : { ...option, rare: true },
  ])
  return Object.fromEntries(marked) as O
}

/** Options that every command has. */
export const common = {
  json: { help: 'print results as JSON' },
  quiet: { help: 'print warnings only, no progress and no remarks' },
  help: { help: 'show this help' },
  'help-all': { help: 'show all options' },
} satisfies Options

/** The declaration of a command, whose functions see the values of its own options only. */
interface Declared<O extends Options, I>
  extends Omit<DeclaredCommand, 'options' | 'writes' | 'read' | 'run'> {
  options: O
  writes?(values: Values<O & typeof common>): string[]
  read?(values: Values<O & typeof common>): I | Promise<I>
  run(inputs: I, output: Output, stop: Stop): Promise<void>
}

/** Declares a command; `parseOptions` passes the values of the options to its functions. */
export function defineCommand<const O extends Options, I = Values<O & typeof common>>(
  declared: Declared<O, I>,
): DeclaredCommand {
  return declared as unknown as DeclaredCommand
}

/** Parses the arguments after a command's name. */
export function parseOptions(command: Command, args: readonly string[]): Values {
  const options: Options = { ...command.options, ...common }
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple = false }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), multiple },
    ]),
  )
  refuseUnknownOption(command, args, config)
  let values: Values
  try {
    const parsed = parseArgs({
      args: [...args],
      options: config,
      strict: true,
      allowPositionals: command.rest !== undefined || command.dataset !== undefined,
    })
    values = { ...parsed.values, rest: parsed.positionals } as Values
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0])
  }
  if (values['help'] || values['help-all']) return values
  if (command.rest && (values['rest'] as string[]).length === 0) {
    throw new UsageError(`${command.rest.value} is required: ${command.rest.help}`)
  }
  const fromDataset = command.dataset !== undefined && (values['rest'] as string[]).length > 0
  if (!fromDataset) refuseMissing(command, values)
  checkStandardInput(values)
  return values
}

/** Throws if an option that the command requires is missing. */
export function refuseMissing(command: DeclaredCommand, values: Values): void {
  for (const [name, { required, value }] of Object.entries(command.options)) {
    if (!required || values[name] !== undefined) continue
    const or = command.dataset ? ' unless you name a DATASET' : ''
    throw new UsageError(`--${name} ${value} is required${or}`)
  }
}

/** Options that were removed, and the replacement for each. */
const removed = {
  memory:
    'leave it out: embeddings larger than half of the memory are read from the file as needed',
}

/** Names that other tools give to an option for a minimum score. */
const threshold = /^(min-?score|(score-?|relevance-?)?threshold|min-?relevance)$/

/**
 * Refuses an option that a command does not have, and suggests the option that was probably meant.
 */
function refuseUnknownOption(
  command: DeclaredCommand,
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
): void {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue
    const setting = token.name.replace(/-[a-z]/g, ([, letter]) => letter!.toUpperCase())
    const isSetting = Object.hasOwn(command.options['set']?.settings ?? {}, setting)
    const meant = nearestWord(token.name, Object.keys(options))
    const gone = removed[token.name as keyof typeof removed]
    if (threshold.test(token.name)) {
      const why = 'because scores only compare the documents of one query'
      const instead = 'use kith rerank --cutoff relevance:0.5'
      throw new UsageError(`${token.rawName} does not exist, ${why}; ${instead}`)
    }
    const help = isSetting
      ? `; ${setting} is a setting: use --set ${setting}=VALUE`
      : gone
        ? `; ${gone}`
        : meant && `; did you mean --${meant}?`
    throw new UsageError(`unknown option '${token.rawName}'${help ?? ''}`)
  }
}

/** Checks that at most one option reads standard input: a second reader would find it empty. */
function checkStandardInput(values: Values): void {
  const readers = Object.entries(values).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((file) => name !== 'out' && typeof file === 'string' && isStandardInput(file))
      .map((file) => (name === 'rest' ? `${file}` : `--${name} ${file}`)),
  )
  if (readers.length < 2) return
  throw new UsageError(
    `${readers.join(' and ')} both read standard input; name a file for one of them`,
  )
}
