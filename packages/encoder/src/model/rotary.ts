import { FileError } from '@kith/base'
import { isObject, type JsonObject } from '../json.ts'
import type { FamilyName } from './families.ts'

/** Angles that grow with the position. */
export interface Rotary {
  /** The base of the angles: a larger one turns slower. */
  theta: number
  /** The layers whose tokens see their neighborhood only. */
  local?: {
    theta: number
    /** Tokens that are seen, half of them on each side. */
    window: number
    /** Each layer whose number divides by this sees all tokens. */
    globalEvery: number
  }
}

/** The bases of angles that families have where `config.json` has no setting. */
const USUAL = { nomic: 1000, full: 160_000, local: 10_000 }

/** Reads the angles of a family, by the names of the original code or of transformers. */
export function readRotary(file: string, family: FamilyName, json: JsonObject): Rotary {
  const parameters = isObject(json['rope_parameters']) ? json['rope_parameters'] : {}
  const kinds = (name: string) => (isObject(parameters[name]) ? parameters[name] : {})
  const theta = (settings: JsonObject, older: string, usual: number) => {
    const kind = settings['rope_type'] ?? 'default'
    if (kind !== 'default') {
      throw new FileError(file, '', `rope_type ${JSON.stringify(kind)} is not supported`)
    }
    const value = settings['rope_theta'] ?? json[older] ?? usual
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value
    throw new FileError(
      file,
      '',
      `${older} is ${JSON.stringify(value)}, expected a positive number`,
    )
  }
  if (family !== 'modernbert') return { theta: theta(parameters, 'rope_theta', USUAL.nomic) }
  const local = {
    theta: theta(kinds('sliding_attention'), 'local_rope_theta', USUAL.local),
    window: wholeOf(file, json, 'local_attention', 128),
    globalEvery: globalEvery(file, json),
  }
  return { theta: theta(kinds('full_attention'), 'global_rope_theta', USUAL.full), local }
}

/** How often a layer sees all tokens; newer files list the kind of each layer instead. */
function globalEvery(file: string, json: JsonObject): number {
  const kinds = json['layer_types']
  if (!Array.isArray(kinds)) return wholeOf(file, json, 'global_attn_every_n_layers', 3)
  const second = kinds.indexOf('full_attention', 1)
  const every = second < 0 ? Math.max(1, kinds.length) : second
  const regular = kinds.every((kind, layer) => {
    return kind === (layer % every === 0 ? 'full_attention' : 'sliding_attention')
  })
  if (regular) return every
  throw new FileError(file, '', 'layer_types that are not regular are not supported')
}

function wholeOf(file: string, json: JsonObject, key: string, usual: number): number {
  const value = json[key] ?? usual
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
  throw new FileError(
    file,
    '',
    `${key} is ${JSON.stringify(value)}, expected a whole number from 1 on`,
  )
}
