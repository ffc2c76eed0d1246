/**
 * `node scripts/settings-page.mjs` writes docs/settings.md from the tables of settings and the
 * presets; test/settings-page.test.ts holds it to them.
 */
import { writeFileSync } from 'node:fs'
import { listTable, trainSettingTable } from '@kith/cli/commands'
import { labelPresets, presets } from '@kith/core'
import { distilTable, labelTable, methodTable, settingTable } from '@kith/core/internal'

/** The page, as it stands in docs. */
export function settingsPage() {
  const own = (table) =>
    Object.fromEntries(Object.entries(table).filter(([name]) => !(name in settingTable)))
  return `# Settings reference

<!-- Written by scripts/settings-page.mjs from the tables of settings: do not edit. -->

Every setting has one name: in a program (\`{ kExp: 4 }\`), on the command line (\`--set kExp=4\`), in a file for \`--settings\` (\`{"kExp": 4}\`) and in the address of the studio. A setting that has no effect is refused with the reason: the column “needs” says which inputs and which values of other settings it needs. [How it works](idea.md) explains the method; [tune](tune.md) finds settings for your data.

## Reranking

${settings(settingTable)}
On the command line, \`--term-statistics FILE\` gives \`statistics\`, and \`--set views.texts.score=0.2 --set views.texts.graph=0.3\` gives \`views\`.

## Other methods

${settings(own(methodTable))}
## Lists

\`kith rerank\` takes these, too: documents that are folded into a near-duplicate or a better one of their group leave the run. \`shortlist\` takes arrays \`groups\` and \`priors\` instead of \`group\` and \`prior\` ([what scores mean](scores.md)).

${settings(listTable)}
## Labels

\`kith labels\`, \`kith audit\`, \`kith train\` and \`smoothLabels\` take these and the settings of reranking, except those that need BM25.

${settings(own(labelTable))}
## Training

${settings(trainSettingTable)}
With \`--target distil\`:

${settings(distilTable)}
## Presets for reranking

${presetTable(presets)}
## Presets for labels

\`kith labels --preset joint-texts\` compares the texts, too. \`kith train --preset paper-tas-b\` and \`paper-cocondenser\` also take the paper's learning rate and warmup.

${presetTable(labelPresets)}`
}

function settings(rows) {
  return table(
    ['setting', 'symbol', 'meaning', 'values', 'default', 'needs'],
    Object.entries(rows).map(([name, row]) => [
      `\`${name}\``,
      row.symbol ? `\`${row.symbol}\`` : '',
      row.help.replaceAll('|', '\\|'),
      valuesOf(row),
      row.default === undefined || row.default === null ? '' : `\`${shown(row.default)}\``,
      needsOf(row),
    ]),
  )
}

/** The conditions under which a setting has an effect: methods, then other settings and inputs. */
function needsOf({ methods, needs = [] }) {
  const by = methods ? [`method ${methods.map((name) => `\`${name}\``).join(' or ')}`] : []
  const texts = needs.map(({ text }) => text.replaceAll(/'([^']+)'/g, '`$1`'))
  return [...new Set([...by, ...texts])].join('; ')
}

function valuesOf({ range, values }) {
  if (values) return values.map((value) => `\`${value}\``).join(', ')
  if (!range) return ''
  const { from, to, below, integer, above } = range
  const kind = integer ? 'whole number' : 'number'
  const upper = to === undefined ? (below === undefined ? '' : `, below ${below}`) : ` to ${to}`
  return `${kind} ${above ? 'above' : 'from'} ${from}${upper}`
}

function presetTable(named) {
  const names = Object.keys(named)
  const all = Object.keys(named[names[0]])
  return table(
    ['', ...names.map((name) => `\`${name}\``)],
    all.map((setting) => [`\`${setting}\``, ...names.map((name) => shown(named[name][setting]))]),
  )
}

function shown(value) {
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value)
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  writeFileSync(new URL('../docs/settings.md', import.meta.url), settingsPage())
}
