import { optionalPackage } from '@kith/base'
import { range } from '@kith/core/internal'
import type { CrossEncoder } from '@kith/encoder'
import { downloadRemarks } from '../encode/open-encoder.ts'
import type { Hooks } from '../job/hooks.ts'
import type { DocumentPlace } from '../join/documents.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { openBoth } from '../join/open-both.ts'
import type { TextFiles } from '../join/text-files.ts'
import { CrossEncoding, type ThenCrossEncode } from './cross-encoding.ts'
import { checkPairFiles, openPairTexts } from './pair-texts.ts'

/** The inputs of a ranking that a cross-encoder takes too. */
interface Inputs extends DocumentPlace, TextFiles {
  missing: MissingPolicy
  workers?: number | undefined
}

/** Loads a cross-encoder and opens the texts that it reads. */
export async function openCrossEncoding(
  settings: ThenCrossEncode,
  inputs: Inputs,
  hooks: Hooks,
): Promise<CrossEncoding> {
  const { missing, workers } = inputs
  range({ from: 1, integer: true })('first', settings.first)
  const files = checkPairFiles(inputs)
  const [model, texts] = await openBoth(load(settings.model, workers, hooks), () =>
    openPairTexts(files),
  )
  return new CrossEncoding({ settings, model, texts, missing })
}

async function load(
  name: string,
  threads: number | undefined,
  hooks: Hooks,
): Promise<CrossEncoder> {
  const { loadCrossEncoder } = await optionalPackage(
    'a cross-encoder needs',
    '@kith/encoder',
    () => import('@kith/encoder'),
  )
  return loadCrossEncoder(name, { threads, onDownload: downloadRemarks(hooks) })
}
