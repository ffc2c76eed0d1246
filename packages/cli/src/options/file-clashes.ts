import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import { embeddingFiles } from '@kith/ir/internal'
import { identityOf, statOf } from '@kith/pipelines/files'
import type { Command, FileRole, Values } from './command.ts'
import { UsageError } from './values.ts'

/** A file or folder of a command line, and the option that brings it in. */
interface Used {
  path: string
  option: string
  /** Whether the file holds the ids of the embeddings beside it. */
  ids?: boolean
}

/** Names that are read in folders: of embeddings, models, adapters, trainings and WordNet. */
const READ_IN_FOLDERS = [
  ...['embedding.memmap', 'ids.memmap'],
  ...['config.json', 'modules.json', 'model.onnx', 'model.safetensors', '1_Pooling/config.json'],
  ...['model.safetensors.index.json', 'sentence_bert_config.json'],
  ...['tokenizer.json', 'tokenizer_config.json', 'vocab.txt', 'special_tokens_map.json'],
  ...['adapter.safetensors', 'metrics.jsonl', 'data.noun'],
]

/** Files that are written beside an output, or in it if it is a folder of embeddings. */
const BESIDE_OUTPUTS = ['.meta.json', '.partial', '.partial.json', '.partial.lock']
const IN_OUTPUTS = ['embedding.memmap', 'ids.memmap']

/** Embeddings whose ids are written to a separate file. */
const WITH_IDS = /\.(npy|safetensors|fvecs)(\.gz)?$/i

/**
 * Refuses a command line on which an output is also an input, or is written twice. Files are compared
 * by device and inode, so that links and other spellings of a path count too.
 */
export function refuseClashes(command: Command, values: Values): void {
  const inputs = new Map<string, Used>()
  for (const used of named(command, values, 'input').flatMap(readWith)) {
    // A missing input is the command's own error, and no clash.
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
    // Ids of embeddings are written unchanged if two formats of one file share them.
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

/** Whether a command's output is the file that standard output goes to. */
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

/** The files and folders that options name in one role. */
function named(command: Command, values: Values, role: FileRole): Used[] {
  const used: Used[] = []
  for (const [name, { file, value }] of Object.entries(command.options)) {
    if (file !== role) continue
    for (const given of [values[name] ?? []].flat().map(String)) {
      // An address can be a URL, or name a collection behind the folder.
      const path = value === 'ADDRESS' ? given.replace(/#.*$/, '') : given
      if (!/^[a-z][a-z\d+.-]*:\/\//i.test(path)) used.push({ path, option: `--${name}` })
    }
  }
  if (command.rest?.file === role) {
    for (const path of values['rest'] as string[]) used.push({ path, option: command.rest.value })
  }
  return used
}

/** An input with everything that is read along with it. */
function readWith({ path, option }: Used): Used[] {
  const at = path === '-' ? '/dev/stdin' : path
  if (statOf(at)?.isDirectory()) {
    return [at, ...READ_IN_FOLDERS.map((name) => join(at, name))].map((file) => {
      return { path: file, option }
    })
  }
  return [{ path: at, option }, { path: `${at}.meta.json`, option }, ...idsOf({ path: at, option })]
}

/** An output with everything that is written along with it. */
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

/** The files of ids beside embeddings, also if no ending tells the format. */
function idsOf({ path, option }: Used): Used[] {
  const [, ...beside] = embeddingFiles(path)
  return beside.map((file) => ({ path: file, option, ids: true }))
}
