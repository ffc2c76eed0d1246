/**
 * Command lines and sidecars of builds from before `--set`, so that `compare-builds.mjs` can compare
 * with them: settings were options, and some had other names.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Options of settings whose name was not the setting's. */
const options = {
  contextSize: 'context',
  tokenizer: 'stems',
  bm25Weight: 'words-weight',
  neighborRrfK: 'rrf-k',
  refreshEvery: 'refresh-candidates',
  depth: 'teacher-depth',
  sharpness: 'teacher-sharpness',
}

/** Other words of a line. */
const words = {
  'neighbor-rrf': 'rrf',
  'paper-tas-b': 'coder-tas-b',
  'paper-cocondenser': 'coder-cocondenser',
  'term-statistics': 'terms',
  '--term-statistics': '--terms',
  '--no-term-statistics': '--no-terms',
}

/** Whether a checkout takes settings as options. */
export function isOlder(folder) {
  return !existsSync(join(folder, 'packages/cli/src/options/set-option.ts'))
}

/** A command line as an older build takes it. */
export function olderLine(args) {
  const older = []
  const views = {}
  for (let i = 0; i < args.length; i++) {
    if (args[i] !== '--set') {
      older.push(words[args[i]] ?? args[i])
      continue
    }
    const [name, value] = args[++i].split('=')
    if (name.startsWith('views.texts.')) views[name.slice('views.texts.'.length)] = value
    else if (name === 'learnTemperature') older.push('--learn-temperature')
    else if (name === 'keepGroundTruth') older.push('--drop-ground-truth')
    else older.push(`--${options[name] ?? dashed(name)}`, words[value] ?? value)
  }
  return 'score' in views ? [...older, '--texts-weights', `${views.score},${views.graph}`] : older
}

/** The output of an older build, with the names of today: settings of sidecars, and remarks. */
export function withNewNames(text) {
  return text
    .replaceAll('"wordsWeight"', '"bm25Weight"')
    .replaceAll('"rrfK"', '"neighborRrfK"')
    .replaceAll(/"terms":(\s*)"(english|plural|prefix5|none)"/g, '"tokenizer":$1"$2"')
    .replaceAll(/"method":(\s*)"rrf"/g, '"method":$1"neighbor-rrf"')
    .replaceAll(/,\s*"smoothness":\s*[\d.]+/g, '')
    .replaceAll(/,\s*"again":\s*(true|false)/g, '')
}

/** The remarks that only newer builds make: which recipe they use. */
export function withoutRecipe(text) {
  return text.replaceAll(/^(labels|training) by preset .*\n/gm, '')
}

function dashed(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
