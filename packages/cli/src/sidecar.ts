import { stat } from 'node:fs/promises'
import { writeWhole } from '@kith/ir'
import { version } from './version.ts'

/** Writes `<out>.meta.json`: what made a file, from which inputs, with which settings. */
export async function writeSidecar(
  out: string,
  command: string,
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
): Promise<void> {
  const files = await Promise.all(
    inputs.map(async (file) => ({ file, bytes: (await stat(file)).size })),
  )
  const meta = { command, version, settings, inputs: files }
  await writeWhole(`${out}.meta.json`, (write) => write(`${JSON.stringify(meta, undefined, 2)}\n`))
}
