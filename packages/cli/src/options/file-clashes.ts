import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import { embeddingFiles } from '@kith/ir/internal'
import { identityOf, statOf } from '@kith/pipelines/files'
import type { Command, FileRole, Values } from './command.ts'
import { UsageError } from './values.ts'

/** A file or folder on a command line, and the option that names it. */
interface Used {
  path: string
  option: string
  /** Whether the file holds the ids of the embeddings beside it. */
  ids?: boolean
}

/**
 * Names of files that are read from folders: of embeddings, models, adapters, trainings and
 * WordNet.
 */
const READ_IN_FOLDERS = [
  ...['embedding.memmap', 'ids.memmap'],
  ...['config.json', 'modules.json', 'model.onnx', 'model.safetensors', '1_Pooling/config.json'],
  ...['model.safetensors.index.json', 'sentence_bert_config.json'],
  ...['tokenizer.json', 'tokenizer_config.json', 'vocab.txt', 'special_tokens_map.json'],
  ...['adapter.safetensors', 'metrics.jsonl', 'data.noun'],
]

/** Files that are written beside an output, or inside an output that is a folder of embeddings. */
const BESIDE_OUTPUTS = ['.meta.json', '.partial', '.partial.json', '.partial.lock']
const IN_OUTPUTS = ['embedding.memmap', 'ids.memmap']

/** Embeddings whose ids are written to a separate file. */
const WITH_IDS = /\.(npy|safetensors|fvecs)(\.gz)?$/i

/**
 * Refuses a command line that names one file as both input and output, or writes a file twice.
 * Files are compared by device and inode, so that links and different spellings of a path are
 * found.
 */
export function refuseClashes(command: Command, values: Values): void {
  const inputs = new Map<string, Used>()
  for (const used of named(command, values, 'input').flatMap(readWith)) {
    // A missing input is an error that the command reports itself, not a clash.
    if (!statOf(used.path)) continue
    const identity = identityOf(used.path)
    if (identity !== undefined && !inputs.has(identity)) inputs.set(identity, used)
  }
  const outputs = new Map<string, Used>()
  const also = command.writes?.(values) ?? []
  const further = also.map((path): Used => ({ path, option: `kith ${command.name}` }))
  for (const used of [...named(command, values, 'output').flatMap(writtenWith), ...further]) {
    const identity = identityOf(used.path)
    if (identity === undefined) continue
    const read = inputs.get(identity)
    // Two formats of the same embeddings may share a file of ids: it is rewritten unchanged.
    if (read && !(read.ids && used.ids)) {
      throw new UsageError(
        `${used.option} would overwrite ${used.path}, which is an input (${read.option} ${read.path}); write to another file`,
      )
    }
    const written = outputs.get(identity)
    if (written) {
      throw new UsageError(
        `${written.option} and ${used.option} would both write ${used.path}; name two different files`,
      )
    }
    outputs.set(identity, used)
  }
}

/** Returns whether an output of a command is the file that standard output is redirected to. */
export function writesToStandardOutput(command: Command, values: Values): boolean {
  let own: ReturnType<typeof statOf>
  try {
    own = fstatSync(1, { bigint: true })
  } catch {
    // Standard output is closed.
    return false
  }
  return named(command, values, 'output').some(({ path }) => {
    const found = statOf(path)
    return found?.dev === own?.dev && found?.ino === own?.ino
  })
}

/** Returns the files and folders that the options name in a role. */
function named(command: Command, values: Values, role: FileRole): Used[] {
  const used: Used[] = []
  for (const [name, { file, value }] of Object.entries(command.options)) {
    if (file !== role) continue
    for (const given of [values[name] ?? []].flat().map(String)) {
      // An address may be a URL, or name a collection after the folder.
      const path = value === 'ADDRESS' ? given.replace(/#.*$/, '') : given
      if (!/^[a-z][a-z\d+.-]*:\/\//i.test(path)) used.push({ path, option: `--${name}` })
    }
  }
  if (command.rest?.file === role) {
    for (const path of values['rest'] as string[]) used.push({ path, option: command.rest.value })
  }
  return used
}

/** Returns an input and all files that are read with it. */
function readWith({ path, option }: Used): Used[] {
  const at = path === '-' ? '/dev/stdin' : path
  if (statOf(at)?.isDirectory()) {
    return [at, ...READ_IN_FOLDERS.map((name) => join(at, name))].map((file) => {
      return { path: file, option }
    })
  }
  return [{ path: at, option }, { path: `${at}.meta.json`, option }, ...idsOf({ path: at, option })]
}

/** Returns an output and all files that are written with it. */
function writtenWith(used: Used): Used[] {
  const { path, option } = used
  const plain = path.replace(/[/\\]+$/, '')
  return [
    used,
    ...BESIDE_OUTPUTS.map((ending) => ({ path: `${plain}${ending}`, option })),
    ...IN_OUTPUTS.map((name) => ({ path: join(path, name), option })),
    ...(WITH_IDS.test(path) ? idsOf(used) : []),
  ]
}

/** Returns the files of ids beside embeddings, also if the file name does not tell the format. */
function idsOf({ path, option }: Used): Used[] {
  const [, ...beside] = embeddingFiles(path)
  return beside.map((file) => ({ path: file, option, ids: true }))
}
