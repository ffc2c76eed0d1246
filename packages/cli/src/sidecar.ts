import { rm, stat } from 'node:fs/promises'
import { KithError } from '@kith/core'
import { embeddingFiles, writeWhole } from '@kith/ir'
import { version } from './version.ts'

/** What made a file. */
export interface Sidecar {
  command: string
  version: string
  settings: Readonly<Record<string, unknown>>
  inputs: readonly { file: string; bytes: number }[]
}

/** Writes `<out>.meta.json`: what made a file, from which inputs, with which settings. */
export async function writeSidecar(
  out: string,
  command: string,
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await writeSidecarOf(out, { command, version, settings, inputs: await inputsOf(inputs), ...more })
}

/** Writes a sidecar that is known already. */
export async function writeSidecarOf(out: string, made: Sidecar): Promise<void> {
  const written = `${JSON.stringify(made, undefined, 2)}\n`
  await writeWhole(`${out}.meta.json`, (write) => write(written))
}

/** Files as a sidecar names them. */
export function inputsOf(files: readonly string[]): Promise<{ file: string; bytes: number }[]> {
  return Promise.all(files.map(async (file) => ({ file, bytes: (await stat(file)).size })))
}

/** Removes what tells of an older file under this name, before another is made. */
export async function removeSidecar(out: string): Promise<void> {
  await rm(`${out}.meta.json`, { force: true })
}

/** A text that is the same for the same work on the same files: long work goes on where it stopped. */
export async function fingerprint(
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
): Promise<string> {
  const files = await Promise.all(
    inputs.flatMap(embeddingFiles).map(async (file) => {
      const { size, mtimeMs } = await stat(file).catch(() => {
        throw new KithError('BAD_INPUT', `${file}: there is no such file`)
      })
      return [file, size, mtimeMs]
    }),
  )
  return JSON.stringify([version, settings, files])
}
