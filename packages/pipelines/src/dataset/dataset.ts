import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { FileError, findPath, makeFolder } from '@kith/base'
import { KithError, type Tokenizer, type TokenizerName } from '@kith/core'
import type { EncodeInputs } from '../encode/encode-texts.ts'
import type { ReadSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import {
  chooseSplit,
  findFile,
  KEPT,
  keptModels,
  named,
  type Purpose,
  splitsOf,
} from './find-files.ts'
import { makers } from './makers.ts'
import { type RoleName, roles } from './roles.ts'
import { stateOf } from './staleness.ts'

/** The part of a dataset to open, and the files to use instead of found files. */
export interface DatasetOptions {
  /**
   * The purpose of the judgments, which selects the split if there are several. Default: `measure`.
   */
  purpose?: Purpose | undefined
  /** The split of the judgments, such as `test`. */
  split?: string | undefined
  /** The model of the embeddings. Default: the model of the folder's embeddings, else minilm. */
  model?: string | undefined
  /** Further settings of the encoder, for embeddings that must be made. */
  encoder?: Omit<EncodeInputs, 'input' | 'out' | 'role' | 'model'> | undefined
  /** Files to use instead of found files. */
  files?: Partial<Record<RoleName, string | undefined>> | undefined
}

/** Hooks for making files. */
interface NeedHooks extends Hooks {
  /** Called with each file that was made because it was missing or out of date. */
  onMade?: ((file: string) => void) | undefined
}

/** The folder name for embeddings that the dataset came with. */
const OWN = 'own'

/** The prefix of the paths of files that belong to one model. */
const OF_MODEL = 'MODEL/'

/**
 * A dataset in a folder with corpus, queries and judgments. Kith stores every file that it makes
 * from them in `.kith`, each with a sidecar that records the file's inputs.
 *
 * ```ts
 * const dataset = openDataset('cisi')
 * const run = await dataset.need('run') // encodes and searches if that was not done yet
 * ```
 */
export class Dataset {
  /** The splits with judgments. */
  readonly splits: readonly string[]
  /** The selected split; undefined if the judgments have no splits. */
  readonly split: string | undefined
  #model: string | undefined
  #tokenizer: TokenizerName | undefined
  readonly #options: DatasetOptions
  /** `.SPLIT` if the split has its own file of queries; part of the names of stored files. */
  readonly suffix: string

  constructor(
    readonly folder: string,
    options: DatasetOptions,
  ) {
    const found = findPath(folder)
    if (!found?.isDirectory()) {
      const problem = found ? 'is not a folder' : 'does not exist'
      throw new FileError(folder, '', `${problem}; expected a dataset folder with corpus.jsonl`)
    }
    this.#options = options
    this.splits = splitsOf(folder)
    const { purpose = 'measure', split, files = {} } = options
    this.split = files.qrels ? split : chooseSplit(folder, this.splits, purpose, split)
    const own = files.queries ?? findFile(folder, 'queries', this.split)
    this.suffix =
      own === (files.queries ?? findFile(folder, 'queries', undefined)) ? '' : `.${this.split}`
  }

  /** The folder in `.kith` for the model's embeddings and the files made from them. */
  get model(): string {
    this.#model ??= this.#chooseModel()
    return this.#model
  }

  /**
   * Returns the model of the embeddings: the requested model, the model in their sidecar, or the
   * default model; undefined if the dataset came with its embeddings.
   */
  async modelName(): Promise<string | undefined> {
    if (this.#options.model !== undefined || this.model !== OWN) {
      const recorded = (await this.#recorded('documentEmbeddings'))?.settings?.['model']
      return this.#options.model ?? (recorded as string | undefined) ?? jobDefaults.model
    }
    return undefined
  }

  /** Returns the path of a file in `.kith`. */
  placeOf(role: RoleName): string {
    return this.#place(role)
  }

  /** Returns the path of a file in `.kith`, and creates its folder. */
  place(role: RoleName): string {
    const file = this.#place(role)
    try {
      makeFolder(dirname(file))
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      const kept = join(this.folder, KEPT)
      const problem = `${error.message.slice(error.file.length + 2)}, so ${roles[role].what} cannot be written there`
      throw new FileError(
        kept,
        '',
        `${problem}; name an output file, or copy the dataset to a writable folder`,
      )
    }
    return file
  }

  /** Returns whether `.kith` has a file of a role, fresh or stale. */
  keeps(role: RoleName): boolean {
    return findPath(this.#place(role)) !== undefined
  }

  /** Finds the file of a role without making it; undefined if it is missing or stale. */
  async find(role: RoleName): Promise<string | undefined> {
    const given = this.#options.files?.[role]
    if (given !== undefined) return given
    const kept = this.#place(role, false)
    if (kept !== undefined && findPath(kept)) {
      const inputs = await this.#inputsOf(role, (from) => this.find(from))
      const { stale } = inputs ? await stateOf(kept, inputs, this.folder) : { stale: 'input' }
      return stale === undefined ? kept : undefined
    }
    return this.#found(role)
  }

  /** Returns the file that `need` would return, without making it. */
  async plan(role: RoleName): Promise<string | undefined> {
    const given = this.#options.files?.[role]
    if (given !== undefined) return given
    const kept = makers[role] && this.#place(role, false)
    if (kept === undefined) return this.find(role)
    if (!this.#isPossible(role)) return undefined
    return (findPath(kept) ? undefined : this.#found(role)) ?? kept
  }

  /**
   * Returns the file of a role, and makes it if it is missing or stale. Undefined if the file was
   * not found and Kith cannot make it.
   */
  async need(role: RoleName, hooks: NeedHooks = {}): Promise<string | undefined> {
    const kept = await this.plan(role)
    const make = this.#options.files?.[role] === undefined ? makers[role] : undefined
    if (kept === undefined || !make || kept !== this.#place(role, false)) return kept
    const inputs = await this.#inputsOf(role, (from) => this.need(from, hooks))
    if (!inputs) return undefined
    const there = findPath(kept) !== undefined
    const state = there ? await stateOf(kept, inputs, this.folder) : undefined
    const stale = state?.stale ?? (state?.sidecar && this.#otherEncoder(role, state.sidecar))
    if (state && stale === undefined) return kept
    if (state) hooks.onRemark?.(`${kept} is out of date (${stale}); making it again`)
    await make(this.place(role), inputs, {
      settings: { ...(await this.#settingsFor(role, state?.sidecar)) },
      tokenizer: () => this.tokenizer(),
      hooks,
    })
    hooks.onMade?.(kept)
    return kept
  }

  /**
   * Returns the tokenizer of the texts: the tokenizer of the term statistics in `.kith`, or the
   * tokenizer that fits the corpus. Undefined without a corpus.
   */
  async tokenizer(): Promise<TokenizerName | undefined> {
    const [texts, file] = [await this.find('corpus'), await this.find('termStatistics')]
    if (texts === undefined) return undefined
    const { nameTokenizer } = await import('../join/name-tokenizer.ts')
    const about = { statistics: file === undefined ? undefined : { file }, texts }
    const settings: { tokenizer: Tokenizer } = { tokenizer: 'auto' }
    this.#tokenizer ??= (await nameTokenizer(settings, about, {})).tokenizer
    return this.#tokenizer
  }

  /** Returns whether a file, or everything that it is made from, exists. */
  #isPossible(role: RoleName): boolean {
    const there = this.#options.files?.[role] ?? this.#found(role)
    if (there !== undefined || (roles[role].kept !== undefined && this.keeps(role))) return true
    return roles[role].from?.every((from) => this.#isPossible(from)) ?? false
  }

  /** Returns the files that a role is made from, or undefined if one is missing. */
  async #inputsOf(
    role: RoleName,
    get: (role: RoleName) => Promise<string | undefined>,
  ): Promise<string[] | undefined> {
    const inputs: string[] = []
    for (const from of roles[role].from ?? []) {
      const file = await get(from)
      if (file === undefined) return undefined
      inputs.push(file)
    }
    return inputs
  }

  /**
   * Finds a file in the folder itself. Embeddings are used in pairs, since vectors of two models
   * cannot be compared.
   */
  #found(role: RoleName): string | undefined {
    if (roles[role].kept?.startsWith(OF_MODEL) && this.model !== OWN) return undefined
    return findFile(this.folder, role, this.split, this.suffix)
  }

  #place(role: RoleName, required?: true): string
  #place(role: RoleName, required: false): string | undefined
  #place(role: RoleName, required = true): string | undefined {
    const { kept } = roles[role]
    if (kept !== undefined) {
      const ofModel = kept.startsWith(OF_MODEL) ? { MODEL: this.model } : {}
      const name = named(kept, { ...ofModel, SUFFIX: this.suffix })
      return join(this.folder, KEPT, name)
    }
    if (!required) return undefined
    throw new KithError('BAD_INPUT', `Kith cannot make ${role} of a dataset; add the file`)
  }

  #chooseModel(): string {
    const { model } = this.#options
    if (model !== undefined) return folderOf(model)
    const kept = keptModels(this.folder)
    if (kept.length === 1) return kept[0]!
    if (kept.length > 1) {
      const problem = `has embeddings of several models (${kept.join(', ')})`
      throw new KithError(
        'BAD_INPUT',
        `${this.folder} ${problem}; select one with the setting model`,
      )
    }
    const own = (['documentEmbeddings', 'queryEmbeddings'] as const).map((role) =>
      findFile(this.folder, role, this.split, this.suffix),
    )
    return own.includes(undefined) ? jobDefaults.model : OWN
  }

  async #recorded(role: RoleName): Promise<ReadSidecar | undefined> {
    const kept = this.#place(role)
    return findPath(kept) ? (await stateOf(kept, [], this.folder)).sidecar : undefined
  }

  /** Explains why the encoder of existing embeddings differs from the requested encoder. */
  #otherEncoder(role: RoleName, { settings = {} }: ReadSidecar): string | undefined {
    if (roles[role].madeBy !== 'encode') return undefined
    const { model, encoder = {} } = this.#options
    if (model !== undefined && !isSameModel(String(settings['model']), model)) {
      return `encoded by ${settings['model']}`
    }
    const [name, value] =
      Object.entries(encoder).find(
        ([key, given]) => given !== undefined && key !== 'threads' && settings[key] !== given,
      ) ?? []
    return name && `${name} is ${String(settings[name])}, not ${String(value)}`
  }

  /**
   * Returns the settings for making a file: its earlier settings, or the settings of the documents'
   * embeddings.
   */
  async #settingsFor(
    role: RoleName,
    sidecar: ReadSidecar | undefined,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (roles[role].madeBy !== 'encode') return sidecar?.settings ?? {}
    const like = sidecar ?? (await this.#recorded('documentEmbeddings'))
    const { model = like?.settings?.['model'] ?? this.model, encoder } = this.#options
    const given = Object.entries(encoder ?? {}).filter(([, value]) => value !== undefined)
    return { ...like?.settings, ...Object.fromEntries(given), model }
  }

  /** Names the missing file of a role: its own file, or a missing file that it is made from. */
  lacking(role: RoleName): string {
    const { what, found, from = [] } = roles[role]
    const missing = from.find((one) => !this.#isPossible(one))
    if (missing !== undefined) return this.lacking(missing)
    const usual = found.find((name) => !name.includes('SPLIT')) ?? found[0]!
    const names = [...new Set([usual, found[0]!])]
    const shown = names.map((name) => named(name, { SPLIT: 'test', SUFFIX: '' }))
    return `${what} (${shown.join(', ')}, …)`
  }

  /** Reports the judgments in use if there are several splits, or if a model learns from them. */
  remarkSplit({ onRemark }: Hooks): void {
    const file = this.#options.files?.qrels ? undefined : this.#found('qrels')
    const others = this.splits.filter((split) => split !== this.split)
    const learns = this.#options.purpose === 'train' && this.split !== undefined
    if (file === undefined || (others.length === 0 && !learns)) return
    const rest =
      others.length > 0 ? `other splits: ${others.join(', ')}` : 'there is no other split'
    const name = relative(this.folder, file)
    onRemark?.(`using the judgments of split ${this.split} (${name}); ${rest}`)
    if (!learns || !/^test(\.|$)/.test(this.split!)) return
    onRemark?.(
      `split ${this.split} is for measuring: measure a model that learns from it on other queries`,
    )
  }
}

/**
 * Opens a dataset in a folder.
 *
 * ```ts
 * const run = await openDataset('cisi').need('run')
 * ```
 */
export function openDataset(folder: string, options: DatasetOptions = {}): Dataset {
  return new Dataset(folder, options)
}

/**
 * Returns the name of a model's folder in `.kith`: the last part of a path, or the whole name on
 * the hub.
 */
function folderOf(model: string): string {
  const plain = model.replace(/[/\\]+$/, '')
  const name = findPath(plain)?.isDirectory() ? basename(plain) : plain
  return name.replace(/[^\w.-]+/g, '--').replace(/^\.+/, '') || jobDefaults.model
}

function isSameModel(recorded: string, model: string): boolean {
  if (folderOf(recorded) !== folderOf(model)) return basename(recorded) === basename(model)
  const [a, b] = [recorded, model].map((name) => (findPath(name) ? realpathSync(name) : undefined))
  return a === undefined || b === undefined || a === b
}
