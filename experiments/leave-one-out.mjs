/**
 * Measures what settings gain over the default on several datasets, and what remains of the gain if
 * the settings are chosen on the other datasets.
 */
import { compare } from '@kith/ir'
import { openCollection } from './contexts.mjs'

/** The datasets in some folders. */
export async function openCollections(folders) {
  if (folders.length < 2) {
    console.error('expected at least two dataset folders (experiments/contexts.mjs says which)')
    process.exit(2)
  }
  const opened = []
  for (const folder of folders) {
    process.stderr.write(`opening ${folder} …\n`)
    opened.push(await openCollection(folder))
  }
  return opened
}

/**
 * Prints both tables. `settings` is a list of `[name, evaluations]`, an evaluation for each
 * dataset; the first one is the default, and only `shown` others are printed, the best by mean.
 */
export function printLeaveOneOut(collections, settings, shown = 12) {
  const [[, before]] = settings
  const gains = settings.map(([name, evaluations]) => ({
    name,
    evaluations,
    gains: evaluations.map((evaluation, c) =>
      compare(before[c], evaluation, 'nDCG@10', { permutations: 1 }),
    ),
  }))
  const mean = (setting, left) => {
    const kept = setting.gains.filter((_, c) => c !== left)
    return kept.reduce((sum, { difference }) => sum + difference, 0) / kept.length
  }
  const best = (left) => gains.reduce((a, b) => (mean(b, left) > mean(a, left) ? b : a))
  const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)
  row('setting', ...collections.map(({ name }) => name), 'mean gain')
  console.log(`|${'---|'.repeat(collections.length + 2)}`)
  const [first, ...others] = gains
  others.sort((a, b) => mean(b) - mean(a))
  for (const setting of [first, ...others.slice(0, shown)]) {
    const cells = setting.evaluations.map((evaluation, c) => {
      const figure = evaluation.mean['nDCG@10'].toFixed(4)
      return setting === first ? figure : `${figure} (t ${setting.gains[c].t.toFixed(1)})`
    })
    row(setting.name, ...cells, signed(mean(setting)))
  }
  console.log(
    `\n${settings.length - 1} settings tried; each dataset with the settings that are best on the other datasets:\n`,
  )
  row('collection', 'chosen on the others', 'gain', 't')
  console.log('|---|---|---|---|')
  const left = collections.map(({ name }, c) => {
    const chosen = best(c)
    const { difference, t } = chosen.gains[c]
    row(name, chosen.name, signed(difference), Number.isFinite(t) ? t.toFixed(1) : '')
    return difference
  })
  row('mean', '', signed(left.reduce((sum, value) => sum + value, 0) / left.length), '')
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}
